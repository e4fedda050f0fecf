/*
 * A chunk belongs to at most one list.  This bounds the walk, ends cycles and keeps references
 * inside a list.  While a live writer thins its logs, a chunk of a log that was read may have gone
 * into another list.  As many chunks as there are may do so: the walk stays bounded.
 */
#include "runtime/profile/spool/spool_check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_CHUNK_OFFSET ((uint64_t)SPOOL_CHUNK_BYTES * SPOOL_HEADER_CHUNKS)
/* A node reference has 32 bits and counts units of 16 bytes: it cannot name anything behind
 * this. */
#define SIZE_MAX_BYTES ((uint64_t)SPOOL_NODE_UNIT << 32)
#define OWNER_RELEASES 0x80000000u /* the list is one whose chunks may be released */

void spool_check_damage(struct spool_check *check, uint64_t at, const char *format, ...)
{
	va_list arguments;
	int used;

	if (check->damaged)
		return;
	check->damaged = true;
	used = snprintf(check->damage, sizeof(check->damage),
			"byte %llu: ", (unsigned long long)at);
	va_start(arguments, format);
	vsnprintf(check->damage + used, sizeof(check->damage) - (size_t)used, format, arguments);
	va_end(arguments);
}

int spool_check_pread(int fd, void *into, size_t bytes, uint64_t offset)
{
	unsigned char *to = into;

	while (bytes) {
		ssize_t got = pread(fd, to, bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -ENODATA;
		to += got;
		offset += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return 0;
}

int spool_check_pread_thread(int fd, const struct spool_header *header, uint64_t at,
			     struct spool_thread *thread)
{
	unsigned char file[SPOOL_VERSION_THREAD_MAX];
	int err = spool_check_pread(fd, file, header->thread_bytes, at);

	if (!err)
		spool_version_thread(header->version, file, thread);
	return err;
}

static int refuse(char *line, size_t bytes, const char *name, size_t at, const char *what)
{
	snprintf(line, bytes, "%s: byte %zu: %s", name, at, what);
	return -EBADMSG;
}

/* The writer and this reader must agree on the sizes of the structs. */
static int check_sizes(const struct spool_header *h, const char *name, char *line, size_t bytes)
{
#define AT(field) offsetof(struct spool_header, field)
	if (h->header_bytes != spool_version_header_bytes(h->version))
		return refuse(line, bytes, name, AT(header_bytes), "header of another size");
	if (h->thread_bytes != spool_version_thread_bytes(h->version))
		return refuse(line, bytes, name, AT(thread_bytes), "threads of another size");
	if (h->module_bytes != spool_version_module_bytes(h->version))
		return refuse(line, bytes, name, AT(module_bytes), "modules of another size");
	if (h->counter_count > SPOOL_COUNTERS_MAX)
		return refuse(line, bytes, name, AT(counter_count), "too many counters");
	if (h->node_bytes !=
	    sizeof(struct spool_node) + h->counter_count * sizeof(struct spool_weight))
		return refuse(line, bytes, name, AT(node_bytes), "nodes of another size");
	if (h->size_bytes < FIRST_CHUNK_OFFSET || h->size_bytes > SIZE_MAX_BYTES)
		return refuse(line, bytes, name, AT(size_bytes), "impossible size");
#undef AT
	return 0;
}

static void end_texts(struct spool_header *h)
{
	for (unsigned i = 0; i < SPOOL_COUNTERS_MAX; i++) {
		struct spool_counter *counter = &h->counter[i];

		counter->name[sizeof(counter->name) - 1] = '\0';
		counter->scale[sizeof(counter->scale) - 1] = '\0';
		counter->measure[sizeof(counter->measure) - 1] = '\0';
	}
	h->note[sizeof(h->note) - 1] = '\0';
	h->command[sizeof(h->command) - 1] = '\0';
	h->host[sizeof(h->host) - 1] = '\0';
	h->executable[sizeof(h->executable) - 1] = '\0';
	h->arguments[sizeof(h->arguments) - 1] = '\0';
	h->output[sizeof(h->output) - 1] = '\0';
	h->directory[sizeof(h->directory) - 1] = '\0';
}

int spool_check_header(int fd, const char *name, struct spool_header *header, char *line,
		       size_t bytes)
{
	int err = spool_check_pread(fd, header, sizeof(*header), 0);
	uint64_t other_order = __builtin_bswap64(SPOOL_MAGIC);

	if (err && err != -ENODATA) {
		snprintf(line, bytes, "%s: %s", name, strerror(-err));
		return err;
	}
	if (err)
		return refuse(line, bytes, name, 0, "not a spool of flametrap (too short)");
	if (header->magic == other_order)
		return refuse(line, bytes, name, 0, "a spool of a machine of another byte order");
	if (header->magic != SPOOL_MAGIC)
		return refuse(line, bytes, name, 0, "not a spool of flametrap");
	if (!spool_version_is_known(header->version, name, line, bytes))
		return -EBADMSG;
	spool_version_header(header);
	end_texts(header);
	return check_sizes(header, name, line, bytes);
}

int spool_check_begin(struct spool_check *check)
{
	const struct spool_header *header = check->header;
	struct stat st;

	if (fstat(check->fd, &st))
		return -errno;
	if (header->state < SPOOL_RUNNING || header->state > SPOOL_EXECED)
		spool_check_damage(check, offsetof(struct spool_header, state),
				   "a process in state %u", header->state);
	check->limit_bytes = header->size_bytes;
	if ((uint64_t)st.st_size < header->size_bytes) {
		spool_check_damage(check, (uint64_t)st.st_size,
				   "the file ends here, before its size of %llu bytes",
				   (unsigned long long)header->size_bytes);
		check->limit_bytes = (uint64_t)st.st_size;
	}
	/* A live writer may take chunks during the reading, so its used_bytes is no bound yet. */
	if (header->state != SPOOL_RUNNING && header->used_bytes < check->limit_bytes)
		check->limit_bytes = header->used_bytes;
	/* The last chunk may be cut; the entries that are complete are still valid. */
	check->chunk_count = (check->limit_bytes + SPOOL_CHUNK_BYTES - 1) / SPOOL_CHUNK_BYTES;
	check->again = header->state == SPOOL_RUNNING ? check->chunk_count : 0;
	check->chunk = malloc(SPOOL_CHUNK_BYTES);
	check->owner = calloc(check->chunk_count + 1, sizeof(*check->owner));
	check->base = calloc(check->chunk_count + 1, sizeof(*check->base));
	return check->chunk && check->owner && check->base ? 0 : -ENOMEM;
}

void spool_check_end(struct spool_check *check)
{
	free(check->chunk);
	free(check->owner);
	free(check->base);
}

void spool_check_list(struct spool_check *check, struct spool_check_list *list,
		      enum spool_chunk_kind kind, uint32_t entry_bytes, uint64_t first,
		      uint64_t linked)
{
	bool releases = kind == SPOOL_CHUNK_NODES || kind == SPOOL_CHUNK_LOG;

	*list = (struct spool_check_list){
		.kind = kind,
		.entry_bytes = entry_bytes,
		.owner = ++check->owners | (releases ? OWNER_RELEASES : 0),
		.next = first,
		.linked = linked,
	};
}

/* The count is read before the entries, so all entries that it counts are there. */
static int read_chunk(struct spool_check *check, struct spool_check_list *list)
{
	struct spool_chunk head;
	uint32_t room = (SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD) / list->entry_bytes;
	uint64_t at = list->next;
	int err;

	if (at + sizeof(head) > check->limit_bytes)
		return -ENODATA;
	err = spool_check_pread(check->fd, &head, sizeof(head), at);
	if (err)
		return err;
	if (head.kind != list->kind) {
		spool_check_damage(check, at, "a chunk of kind %u where kind %u is expected",
				   head.kind, list->kind);
		return -EBADMSG;
	}
	list->count = head.count;
	if (list->count > room) {
		spool_check_damage(check, at + offsetof(struct spool_chunk, count),
				   "%u entries in a chunk that holds %u", list->count, room);
		list->count = room;
	}
	if (at + SPOOL_CHUNK_HEAD + (uint64_t)list->count * list->entry_bytes >
	    check->limit_bytes) {
		spool_check_damage(check, check->limit_bytes, "the file ends inside a chunk");
		list->count = (uint32_t)((check->limit_bytes - at - SPOOL_CHUNK_HEAD) /
					 list->entry_bytes);
	}
	list->offset = at;
	list->next = head.next;
	list->base_ns = head.base_ns;
	list->linked = at + offsetof(struct spool_chunk, next);
	return spool_check_pread(check->fd, check->chunk + SPOOL_CHUNK_HEAD,
				 (size_t)list->count * list->entry_bytes, at + SPOOL_CHUNK_HEAD);
}

/* Returns whether a chunk of another list may have moved to this one: the thread that it was read
 * for has ended since, or its log was thinned. */
static bool may_have_moved(struct spool_check *check, const struct spool_check_list *list,
			   uint64_t number)
{
	uint32_t owner = check->owner[number];

	if (!(owner & OWNER_RELEASES) || owner == list->owner || !check->again)
		return false;
	check->again--;
	return true;
}

int spool_check_next(struct spool_check *check, struct spool_check_list *list)
{
	uint64_t number = list->next / SPOOL_CHUNK_BYTES;
	int err;

	if (!list->next)
		return 0;
	if (list->next % SPOOL_CHUNK_BYTES || list->next < FIRST_CHUNK_OFFSET ||
	    number >= check->chunk_count) {
		spool_check_damage(check, list->linked, "there is no chunk at offset %llu",
				   (unsigned long long)list->next);
		return 0;
	}
	if (check->owner[number] && !may_have_moved(check, list, number)) {
		spool_check_damage(check, list->linked, "the chunk at %llu is in a list already",
				   (unsigned long long)list->next);
		return 0;
	}
	err = read_chunk(check, list);
	if (err == -EBADMSG)
		return 0;
	if (err == -ENODATA) {
		spool_check_damage(check, list->linked,
				   "the file ends inside the chunk named here");
		return 0;
	}
	if (err)
		return err;
	check->owner[number] = list->owner;
	check->base[number] = (uint32_t)list->entries;
	list->entries += list->count;
	return 1;
}

uint32_t spool_check_index(const struct spool_check *check, const struct spool_check_list *list,
			   uint32_t reference)
{
	uint64_t offset = (uint64_t)reference * SPOOL_NODE_UNIT;
	uint64_t number = offset / SPOOL_CHUNK_BYTES;
	uint64_t inside = offset % SPOOL_CHUNK_BYTES;
	uint64_t index;

	if (number >= check->chunk_count || check->owner[number] != list->owner)
		return SPOOL_CHECK_NO_ENTRY;
	if (inside < SPOOL_CHUNK_HEAD || (inside - SPOOL_CHUNK_HEAD) % list->entry_bytes)
		return SPOOL_CHECK_NO_ENTRY;
	index = check->base[number] + (inside - SPOOL_CHUNK_HEAD) / list->entry_bytes;
	return index < list->entries ? (uint32_t)index : SPOOL_CHECK_NO_ENTRY;
}

uint64_t spool_check_first(const struct spool_check *check, uint64_t at)
{
	uint64_t first;

	if (check->header->state != SPOOL_RUNNING || check->header->version != SPOOL_VERSION ||
	    spool_check_pread(check->fd, &first, sizeof(first), at))
		memcpy(&first, (const char *)check->header + at, sizeof(first));
	return first;
}

void spool_check_forget(struct spool_check *check, uint32_t owner)
{
	for (uint64_t i = 0; i < check->chunk_count; i++)
		if (check->owner[i] == owner)
			check->owner[i] = 0;
}
