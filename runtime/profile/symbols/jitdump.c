/*
 * Each record is read whole and parsed within its own length.  Code bytes and unwind information
 * are skipped.  So are time stamps: stacks are sums over time, and of several codes that had one
 * address the last one counts.
 */
#include "runtime/profile/symbols/jit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC	     0x4a695444u
#define HEADER_BYTES 40
#define RECORD_BYTES ((size_t)64 << 20) /* larger records are rejected */

enum record_id { CODE_LOAD, CODE_MOVE, DEBUG_INFO, CODE_CLOSE };

struct head {
	uint32_t id;
	uint32_t total_bytes;
	uint64_t time;
};

/* The unread part of a record. */
struct cursor {
	const char *at;
	size_t left;
};

static bool take(struct cursor *cursor, void *into, size_t bytes)
{
	if (cursor->left < bytes)
		return false;
	memcpy(into, cursor->at, bytes);
	cursor->at += bytes;
	cursor->left -= bytes;
	return true;
}

/* Returns a text with its NUL; NULL if the record ends before. */
static const char *take_text(struct cursor *cursor)
{
	const char *text = cursor->at;
	const char *end = cursor->left ? memchr(text, '\0', cursor->left) : NULL;

	if (!end)
		return NULL;
	cursor->left -= (size_t)(end + 1 - text);
	cursor->at = end + 1;
	return text;
}

static int read_load(struct cursor *cursor, const struct jitdump_sink *sink)
{
	struct {
		uint32_t pid, tid;
		uint64_t vma, address, bytes, index;
	} load;
	const char *name;

	if (!take(cursor, &load, sizeof(load)))
		return -EBADMSG;
	name = take_text(cursor);
	return name ? sink->code(sink->context, load.address, load.bytes, name) : -EBADMSG;
}

static int read_move(struct cursor *cursor, const struct jitdump_sink *sink)
{
	struct {
		uint32_t pid, tid;
		uint64_t vma, from, to, bytes, index;
	} move;

	if (!take(cursor, &move, sizeof(move)))
		return -EBADMSG;
	return sink->move(sink->context, move.from, move.to, move.bytes);
}

/* "\xff" stands for the name of the previous entry. */
static int read_lines(struct cursor *cursor, const struct jitdump_sink *sink)
{
	struct {
		uint64_t address, count;
	} info;
	struct {
		uint64_t address;
		uint32_t line, discriminator;
	} entry;
	const char *file = "";
	int err = 0;

	if (!take(cursor, &info, sizeof(info)))
		return -EBADMSG;
	for (uint64_t i = 0; !err && i < info.count; i++) {
		const char *text;

		if (!take(cursor, &entry, sizeof(entry)))
			return -EBADMSG;
		text = take_text(cursor);
		if (!text)
			return -EBADMSG;
		if (strcmp(text, "\xff") != 0)
			file = text;
		err = sink->line(sink->context, entry.address, file, entry.line);
	}
	return err;
}

static int read_record(uint32_t id, struct cursor cursor, const struct jitdump_sink *sink)
{
	switch (id) {
	case CODE_LOAD:
		return read_load(&cursor, sink);
	case CODE_MOVE:
		return read_move(&cursor, sink);
	case DEBUG_INFO:
		return read_lines(&cursor, sink);
	default:
		return 0;
	}
}

static bool skip(FILE *file, size_t bytes)
{
	while (bytes--)
		if (getc_unlocked(file) == EOF)
			return false;
	return true;
}

/* The file must have our byte order and be of this process. */
static int read_header(FILE *file, unsigned pid)
{
	struct {
		uint32_t magic, version, bytes, machine, pad, pid;
		uint64_t time, flags;
	} header;

	_Static_assert(sizeof(header) == HEADER_BYTES, "as it is in the file");
	if (fread(&header, sizeof(header), 1, file) != 1 || header.magic != MAGIC ||
	    header.bytes < HEADER_BYTES || header.pid != pid)
		return -EBADMSG;
	return skip(file, header.bytes - HEADER_BYTES) ? 0 : -EBADMSG;
}

int jitdump_read(FILE *file, unsigned pid, const struct jitdump_sink *sink)
{
	int err = read_header(file, pid);
	char *record = NULL;
	struct head head;

	while (!err && fread(&head, sizeof(head), 1, file) == 1 && head.id != CODE_CLOSE) {
		size_t bytes = head.total_bytes - sizeof(head);
		char *larger;

		if (head.total_bytes < sizeof(head) || bytes > RECORD_BYTES)
			break;
		larger = realloc(record, bytes + 1);
		if (!larger) {
			err = -ENOMEM;
			break;
		}
		record = larger;
		if (fread(record, 1, bytes, file) != bytes)
			break;
		err = read_record(head.id, (struct cursor){ record, bytes }, sink);
		if (err != -ENOMEM)
			err = 0; /* a record that cannot be read is skipped */
	}
	free(record);
	return err;
}
