/*
 * One line for each node with a weight.  Nothing is merged or sorted, which readers of folded
 * stacks accept.  Nothing is allocated: a static buffer is written whenever it is half full, so
 * that a frame's name has the other half.
 */
#include "preload/process/process_end.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "config/settings/settings.h"
#include "config/text/text.h"
#include "runtime/sample/perf/ring.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/format_code.h"
#include "runtime/spool/special_pc.h"
#include "runtime/spool/spool_settings.h"

/* A user's frames, a mark and a datum, and the kernel's frames, of which a record has no more. */
#define DEPTH_MAX    (SETTINGS_DEPTH_MAX + 2 + RING_SCRATCH_BYTES / sizeof(uint64_t))
#define BUFFER_BYTES 65536

struct writer {
	const struct spool_alloc *spool;
	int fd;
	int err;
	unsigned counter;
	bool orderly;
	struct text text; /* of the buffer */
};

static void write_out(struct writer *writer)
{
	struct text *text = &writer->text;

	if (sys_write(writer->fd, text->bytes, text->used) != (long)text->used)
		writer->err = -EIO;
	*text = text_into(text->bytes, text->size);
}

static void make_room(struct writer *writer)
{
	if (writer->text.used > writer->text.size / 2)
		write_out(writer);
}

/* A byte that has a meaning in a line of folded stacks becomes one that has none. */
static void add_byte(struct text *line, char byte)
{
	if (byte == ';')
		byte = ':';
	else if ((unsigned char)byte < ' ')
		byte = ' ';
	text_add_bytes(line, &byte, 1);
}

static void add_frame_text(struct text *line, const char *name)
{
	for (; *name; name++)
		add_byte(line, *name);
}

static void add_module(struct text *line, const struct spool_module *module, uint64_t pc)
{
	const char *slash = strrchr(module->path, '/');

	add_frame_text(line, slash ? slash + 1 : module->path);
	text_add(line, "@0x");
	text_hex(line, pc - module->bias);
}

/* Lists are searched chunk by chunk, because nothing here may allocate memory for an index. Returns
 * the chunk at an offset, or NULL past the end of a list. */
static const struct spool_chunk *chunk_at(const struct spool_alloc *spool, uint64_t offset)
{
	return offset ? spool_alloc_at(spool, offset) : NULL;
}

static const void *content(const struct spool_chunk *chunk)
{
	return (const char *)chunk + SPOOL_CHUNK_HEAD;
}

static const struct spool_code *find_code(const struct spool_alloc *spool, uint64_t pc)
{
	const struct spool_chunk *chunk = chunk_at(spool, spool->header->first_code);
	uint32_t at = spool_code_of(pc) - 1;

	for (; chunk && at >= chunk->count; chunk = chunk_at(spool, chunk->next))
		at -= chunk->count;
	return chunk ? (const struct spool_code *)content(chunk) + at : NULL;
}

static void add_text(struct text *line, const struct spool_alloc *spool,
		     const struct spool_text *text)
{
	const struct spool_chunk *chunk = chunk_at(spool, spool->header->first_text);
	uint32_t at = text->at, left = text->bytes;

	for (; chunk && left; chunk = chunk_at(spool, chunk->next)) {
		const char *bytes = content(chunk);

		for (; at < chunk->count && left; at++, left--)
			add_byte(line, bytes[at]);
		at -= chunk->count;
	}
}

static void add_code(struct text *line, const struct spool_alloc *spool, uint64_t pc)
{
	const struct spool_code *code = find_code(spool, pc);

	if (!code || !code->name.bytes) {
		text_add(line, "[unknown]");
		return;
	}
	add_text(line, spool, code->qualified.bytes ? &code->qualified : &code->name);
	text_add(line, "_[p]");
}

static const struct spool_module *module_of(const struct writer *writer, uint64_t pc)
{
	const struct spool_chunk *chunk =
		chunk_at(writer->spool, writer->spool->header->first_module);

	for (; chunk; chunk = chunk_at(writer->spool, chunk->next)) {
		const struct spool_module *entries = content(chunk);

		for (uint32_t i = 0; i < chunk->count; i++)
			if (pc >= entries[i].start && pc < entries[i].end)
				return &entries[i];
	}
	return NULL;
}

static void add_frame(struct writer *writer, uint64_t pc)
{
	const struct spool_module *module = module_of(writer, pc);
	Dl_info info;

	text_add(&writer->text, ";");
	if (pc < SPOOL_PC_LIMIT)
		text_add(&writer->text, special_pc_name(pc));
	else if ((int64_t)pc < 0)
		text_add(&writer->text, "[kernel]_[k]");
	else if (spool_code_is(pc))
		add_code(&writer->text, writer->spool, pc);
	else if (module && writer->orderly && dladdr((void *)pc, &info) && /* NOLINT */
		 info.dli_sname)
		add_frame_text(&writer->text, info.dli_sname);
	else if (module)
		add_module(&writer->text, module, pc);
	else
		text_add(&writer->text, "[unknown]");
}

static const struct spool_node *node_at(const struct writer *writer, uint32_t reference)
{
	return spool_alloc_at(writer->spool, (uint64_t)reference * SPOOL_NODE_UNIT);
}

static uint64_t value_of(const struct writer *writer, const struct spool_node *node)
{
	const struct spool_header *header = writer->spool->header;
	bool by_events = spool_settings_weigh_events(&header->counter[writer->counter],
						     spool_settings_weight(header->weight));

	return by_events ? node->weight[writer->counter].events
			 : node->weight[writer->counter].samples;
}

static void write_node(struct writer *writer, const struct spool_node *node)
{
	static const struct spool_node *frames[DEPTH_MAX];
	uint64_t value = value_of(writer, node);
	unsigned depth = 0;

	if (!value)
		return;
	for (frames[depth++] = node; node->parent && depth < DEPTH_MAX; frames[depth++] = node)
		node = node_at(writer, node->parent);
	add_frame_text(&writer->text, writer->spool->header->command);
	for (; depth; make_room(writer))
		add_frame(writer, frames[--depth]->pc);
	text_add(&writer->text, " ");
	text_number(&writer->text, value);
	text_add(&writer->text, "\n");
}

static void write_tree(struct writer *writer, uint64_t offset)
{
	size_t node_bytes = writer->spool->header->node_bytes;
	const struct spool_chunk *chunk = chunk_at(writer->spool, offset);

	for (; chunk; chunk = chunk_at(writer->spool, chunk->next))
		for (uint32_t i = 0; i < chunk->count; i++)
			write_node(writer,
				   (const void *)((const char *)content(chunk) + i * node_bytes));
}

static void write_threads(struct writer *writer)
{
	const struct spool_chunk *chunk =
		chunk_at(writer->spool, writer->spool->header->first_thread);

	for (; chunk; chunk = chunk_at(writer->spool, chunk->next)) {
		const struct spool_thread *slots = content(chunk);

		for (uint32_t i = 0; i < chunk->count; i++)
			if (slots[i].state != SPOOL_THREAD_FREE)
				write_tree(writer, slots[i].first_chunk);
	}
}

static void add_counter_name(struct text *path, const char *name)
{
	text_add(path, ".");
	for (; *name; name++)
		text_add_bytes(path, *name == ':' || *name == '/' ? "-" : name, 1);
}

static int write_counter(const struct spool_alloc *spool, unsigned counter, bool orderly)
{
	static char buffer[BUFFER_BYTES];
	char path[SPOOL_TEXT_MAX + SPOOL_NAME_MAX], unfinished[sizeof(path) + 32];
	struct writer writer = { .spool = spool,
				 .counter = counter,
				 .orderly = orderly,
				 .text = text_into(buffer, sizeof(buffer)) };
	struct text text = text_into(path, sizeof(path));
	struct text before = text_into(unfinished, sizeof(unfinished));
	int err;

	text_add(&text, spool->header->output);
	if (spool->header->counter_count > 1)
		add_counter_name(&text, spool->header->counter[counter].name);
	text_add(&text, ".folded");
	text_add(&before, path);
	text_add(&before, ".");
	text_number(&before, spool->header->pid);
	writer.fd =
		sys_open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (writer.fd < 0)
		return writer.fd;
	write_threads(&writer);
	write_out(&writer);
	sys_close(writer.fd);
	err = writer.err ? writer.err : sys_rename_new(unfinished, path);
	if (err)
		sys_unlink(unfinished);
	return err;
}

int fallback_write(const struct spool_alloc *spool, bool orderly)
{
	int err = 0;

	for (unsigned i = 0; i < spool->header->counter_count && !err; i++)
		err = write_counter(spool, i, orderly);
	return err;
}
