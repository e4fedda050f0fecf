/* The writer's side of the format in its simplest form; it shares nothing with runtime/sample. */
#include "tests/support/spool_builder.h"

#include "config/settings/settings.h"
#include "runtime/profile/merge/profile.h"

static void need(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	abort();
}

struct spool_header *spool_builder_header(struct spool_builder *builder)
{
	return (struct spool_header *)builder->bytes;
}

struct spool_builder spool_builder_new(uint32_t counters, size_t size_bytes)
{
	struct spool_builder builder = { .size_bytes = size_bytes };
	struct spool_header *header;

	builder.bytes = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	need(builder.bytes != MAP_FAILED, "spool_builder: mmap");
	header = spool_builder_header(&builder);
	header->magic = SPOOL_MAGIC;
	header->version = SPOOL_VERSION;
	header->header_bytes = sizeof(struct spool_header);
	header->thread_bytes = sizeof(struct spool_thread);
	header->module_bytes = sizeof(struct spool_module);
	header->node_bytes =
		(uint32_t)(sizeof(struct spool_node) + counters * sizeof(struct spool_weight));
	header->counter_count = counters;
	header->size_bytes = size_bytes;
	header->used_bytes = SPOOL_CHUNK_BYTES * SPOOL_HEADER_CHUNKS;
	header->state = SPOOL_FINISHED;
	header->engine = SPOOL_ENGINE_SIGTRAP;
	header->pid = 4242;
	header->start_ticks = 1000;
	header->formats = SETTINGS_FORMAT_FOLDED;
	header->timeline_bytes = size_bytes;
	strcpy(header->command, "target");
	for (uint32_t i = 0; i < counters; i++) {
		snprintf(header->counter[i].name, sizeof(header->counter[i].name), "counter%u", i);
		header->counter[i].flags = SPOOL_COUNTER_SAMPLES;
		header->counter[i].leader = i;
	}
	return builder;
}

void spool_builder_free(struct spool_builder *builder)
{
	munmap(builder->bytes, builder->size_bytes);
	builder->bytes = NULL;
}

static struct spool_chunk *chunk_at(const struct spool_builder *builder, uint64_t offset)
{
	return (struct spool_chunk *)(builder->bytes + offset);
}

/* A new chunk behind the list's last one. */
static void link_chunk(struct spool_builder *builder, enum spool_chunk_kind kind, uint64_t *last,
		       _Atomic uint64_t *first)
{
	struct spool_header *header = spool_builder_header(builder);
	uint64_t offset = header->used_bytes;

	need(offset + SPOOL_CHUNK_BYTES <= builder->size_bytes, "spool_builder: full");
	header->used_bytes += SPOOL_CHUNK_BYTES;
	chunk_at(builder, offset)->kind = kind;
	if (*last)
		chunk_at(builder, *last)->next = offset;
	else
		*first = offset;
	*last = offset;
}

/* Room for one entry: in the list's last chunk, or in a new one linked behind it. */
static void *append(struct spool_builder *builder, enum spool_chunk_kind kind, uint32_t entry_bytes,
		    uint64_t *last, _Atomic uint64_t *first)
{
	uint32_t room = (SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD) / entry_bytes;
	struct spool_chunk *chunk;

	if (!*last || chunk_at(builder, *last)->count == room)
		link_chunk(builder, kind, last, first);
	chunk = chunk_at(builder, *last);
	return (unsigned char *)chunk + SPOOL_CHUNK_HEAD + (size_t)chunk->count++ * entry_bytes;
}

struct spool_module *spool_builder_module(struct spool_builder *builder, uint64_t start,
					  uint64_t end, uint64_t bias, const char *path)
{
	struct spool_module *module =
		append(builder, SPOOL_CHUNK_MODULES, sizeof(*module), &builder->last_module,
		       &spool_builder_header(builder)->first_module);

	module->start = start;
	module->end = end;
	module->bias = bias;
	module->until = SPOOL_UNTIL_FOREVER;
	snprintf(module->path, sizeof(module->path), "%s", path);
	return module;
}

struct spool_builder_thread spool_builder_thread(struct spool_builder *builder, uint32_t tid,
						 const char *name)
{
	struct spool_builder_thread thread = { .last_nodes = 0 };
	char comm[16] = "";

	thread.slot = append(builder, SPOOL_CHUNK_THREADS, sizeof(*thread.slot),
			     &builder->last_thread, &spool_builder_header(builder)->first_thread);
	thread.slot->state = SPOOL_THREAD_LIVE;
	thread.slot->tid = tid;
	memcpy(comm, name, strnlen(name, sizeof(comm) - 1));
	memcpy(&thread.slot->name, comm, sizeof(comm));
	return thread;
}

uint32_t spool_builder_node(struct spool_builder *builder, struct spool_builder_thread *thread,
			    uint64_t pc, uint32_t parent)
{
	struct spool_node *node =
		append(builder, SPOOL_CHUNK_NODES, spool_builder_header(builder)->node_bytes,
		       &thread->last_nodes, &thread->slot->first_chunk);

	node->pc = pc;
	node->parent = parent;
	return (uint32_t)((uint64_t)((unsigned char *)node - builder->bytes) / SPOOL_NODE_UNIT);
}

struct spool_node *spool_builder_at(struct spool_builder *builder, uint32_t reference)
{
	return (struct spool_node *)(builder->bytes + (uint64_t)reference * SPOOL_NODE_UNIT);
}

void spool_builder_weigh(struct spool_builder *builder, uint32_t reference, uint32_t counter,
			 uint64_t samples, uint64_t events)
{
	struct spool_weight *weight = &spool_builder_at(builder, reference)->weight[counter];

	weight->samples += samples;
	weight->events += events;
}

uint32_t spool_builder_leaf(struct spool_builder *builder, struct spool_builder_thread *thread,
			    uint64_t pc, uint32_t parent, uint64_t samples, uint64_t events)
{
	uint32_t node = spool_builder_node(builder, thread, pc, parent);

	spool_builder_weigh(builder, node, 0, samples, events);
	return node;
}

struct spool_text spool_builder_text(struct spool_builder *builder, const void *bytes,
				     uint32_t count)
{
	struct spool_text text = { builder->text_bytes, count };

	for (uint32_t i = 0; i < count; i++) {
		unsigned char *to = append(builder, SPOOL_CHUNK_TEXTS, 1, &builder->last_text,
					   &spool_builder_header(builder)->first_text);

		*to = ((const unsigned char *)bytes)[i];
	}
	builder->text_bytes += count;
	return text;
}

struct spool_code *spool_builder_code(struct spool_builder *builder, const char *name,
				      const char *file, uint32_t *number)
{
	struct spool_code *code =
		append(builder, SPOOL_CHUNK_CODES, sizeof(*code), &builder->last_code,
		       &spool_builder_header(builder)->first_code);

	code->language = SPOOL_LANGUAGE_PYTHON;
	code->lines = SPOOL_LINES_PLACE;
	code->first_line = 1;
	code->name = spool_builder_text(builder, name, (uint32_t)strlen(name));
	code->file = spool_builder_text(builder, file, (uint32_t)strlen(file));
	*number = ++builder->codes;
	return code;
}

static struct spool_log_entry *log_append(struct spool_builder *builder,
					  struct spool_builder_thread *thread, uint64_t head,
					  uint64_t body)
{
	struct spool_chunk *chunk =
		chunk_at(builder, thread ? thread->last_log : builder->last_mark);
	struct spool_log_entry *entry = (struct spool_log_entry *)(chunk + 1) + chunk->count++;

	entry->head = head;
	entry->body = body;
	return entry;
}

/* Makes room for `entries` in the last chunk of a log.  Returns its base. */
static uint64_t log_room(struct spool_builder *builder, struct spool_builder_thread *thread,
			 uint64_t time_ns, unsigned entries)
{
	uint64_t *last = thread ? &thread->last_log : &builder->last_mark;
	struct spool_header *header = spool_builder_header(builder);
	uint32_t tid = thread ? (uint32_t)thread->slot->tid : header->pid;

	if (*last && chunk_at(builder, *last)->count + entries <= SPOOL_LOG_ENTRIES)
		return chunk_at(builder, *last)->base_ns;
	link_chunk(builder, SPOOL_CHUNK_LOG, last,
		   thread ? &thread->slot->first_log : &header->first_mark);
	chunk_at(builder, *last)->base_ns = time_ns;
	log_append(builder, thread, (uint64_t)tid << 32 | SPOOL_LOG_THREAD,
		   thread ? (uint64_t)thread->slot->start_ns : 0);
	if (thread && thread->label_set)
		log_append(builder, thread, SPOOL_LOG_LABELS, thread->label_set);
	return time_ns;
}

struct spool_log_entry *spool_builder_entry(struct spool_builder *builder,
					    struct spool_builder_thread *thread, uint64_t head,
					    uint64_t body, unsigned behind)
{
	log_room(builder, thread, 0, 1 + behind);
	return log_append(builder, thread, head, body);
}

int64_t spool_builder_time(struct spool_builder *builder, struct spool_builder_thread *thread,
			   uint64_t time_ns, unsigned entries)
{
	return (int64_t)(time_ns - log_room(builder, thread, time_ns, entries));
}

void spool_builder_log(struct spool_builder *builder, struct spool_builder_thread *thread,
		       const struct spool_builder_sample *sample)
{
	bool more = sample->samples > SPOOL_LOG_SAMPLES_MAX || sample->events > UINT32_MAX;
	int64_t time = spool_builder_time(builder, thread, sample->time_ns, 1 + more);

	if (more)
		log_append(builder, thread, sample->samples << 4 | SPOOL_LOG_MORE, sample->events);
	log_append(builder, thread,
		   spool_log_head(sample->member ? SPOOL_LOG_MEMBER : SPOOL_LOG_SAMPLE,
				  sample->counter, more ? 0 : (unsigned)sample->samples, time),
		   (more ? 0 : sample->events) << 32 | sample->node);
}

void spool_builder_take(struct spool_builder *builder, struct spool_builder_thread *thread,
			const struct spool_builder_sample *sample)
{
	spool_builder_weigh(builder, sample->node, sample->counter, sample->samples,
			    sample->events);
	if (sample->samples)
		thread->slot->count[SPOOL_COUNT_SAMPLES] += sample->samples;
	spool_builder_log(builder, thread, sample);
}

void spool_builder_mark(struct spool_builder *builder, struct spool_builder_thread *thread,
			enum spool_mark mark, uint64_t time_ns, uint64_t value)
{
	int64_t time = spool_builder_time(builder, thread, time_ns, 1);

	log_append(builder, thread, spool_log_head(SPOOL_LOG_MARK, mark, 0, time), value);
}

uint32_t spool_builder_label(struct spool_builder *builder, uint32_t below, const char *key,
			     const char *value)
{
	struct spool_label *label =
		append(builder, SPOOL_CHUNK_LABELS, sizeof(*label), &builder->last_label,
		       &spool_builder_header(builder)->first_label);

	label->below = below;
	label->key = spool_builder_text(builder, key, (uint32_t)strlen(key));
	label->value = spool_builder_text(builder, value, (uint32_t)strlen(value));
	return ++builder->labels;
}

void spool_builder_labels(struct spool_builder *builder, struct spool_builder_thread *thread,
			  uint32_t set)
{
	spool_builder_entry(builder, thread, SPOOL_LOG_LABELS, set, 0);
	thread->label_set = set;
}

static void write_fd(const struct spool_builder *builder, int fd)
{
	const struct spool_header *header = (const struct spool_header *)builder->bytes;
	size_t used =
		header->used_bytes < builder->size_bytes ? header->used_bytes : builder->size_bytes;

	need(!ftruncate(fd, (off_t)builder->size_bytes), "spool_builder: ftruncate");
	need(pwrite(fd, builder->bytes, used, 0) == (ssize_t)used, "spool_builder: write");
}

void spool_builder_write(const struct spool_builder *builder, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	need(fd >= 0, path);
	write_fd(builder, fd);
	close(fd);
}

int spool_builder_fd(const struct spool_builder *builder)
{
	int fd = memfd_create("spool", MFD_CLOEXEC);

	need(fd >= 0, "spool_builder: memfd_create");
	write_fd(builder, fd);
	return fd;
}

void spool_builder_read(struct spool_builder *builder, struct profile *profile)
{
	int fd = spool_builder_fd(builder);
	char line[512];

	if (profile_read_fd(profile, fd, "the.spool", line, sizeof(line))) {
		fprintf(stderr, "%s\n", line);
		abort();
	}
	close(fd);
	spool_builder_free(builder);
}
