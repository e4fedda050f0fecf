/*
 * All code pieces, of map and dump, are in one list, and `ranges` maps addresses to them.  The
 * lines of a piece are a section of another list, sorted by address.
 *
 * Anybody may write to the directories of the files, so a file is opened without following links,
 * its owner is checked, and it is read up to the end that it has then.  A file older than the
 * process was left by an earlier process with the same pid, and a map that is not the one which the
 * process saw at its end is another container's.
 *
 * A process in its own namespaces names its files by the pid that it sees, in a /tmp that may be
 * its own.  As long as it runs, both are found through /proc.
 */
#include "runtime/profile/symbols/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/spool/spool_files.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/profile/spool/spool_read.h"

#define CODES_MAX  (1u << 24)
#define LINES_MAX  (1u << 26)
#define PATH_BYTES (SPOOL_TEXT_MAX + 64)

struct code {
	uint64_t start;
	uint64_t moved; /* offset from where its lines were reported */
	uint32_t name;
	uint32_t first_line;
	uint32_t line_count;
};

struct line {
	uint64_t address;
	uint32_t file;
	uint32_t line;
};

struct jit {
	struct string_table strings;
	struct ranges ranges; /* value: index of the code */
	struct map starts;    /* start to 1 + the index of the last code there */
	struct code *codes;
	uint32_t code_count;
	struct line *lines;
	uint32_t line_count;
	uint32_t line_taken; /* lines before this one belong to a code piece */
};

static int add_code(struct jit *jit, const struct code *code, uint64_t bytes)
{
	uint32_t *last;

	if (jit->code_count == CODES_MAX || code->start + bytes < code->start)
		return 0;
	if (!grow(&jit->codes, jit->code_count, sizeof(*code)))
		return -ENOMEM;
	last = map_at(&jit->starts, code->start, 0);
	if (!last || !code->name)
		return -ENOMEM;
	jit->codes[jit->code_count++] = *code;
	*last = jit->code_count;
	return ranges_add(&jit->ranges, code->start, code->start + bytes, jit->code_count,
			  jit->code_count - 1);
}

static int take_line(void *context, uint64_t address, const char *file, uint32_t line)
{
	struct jit *jit = context;
	uint32_t name = string_table_intern(&jit->strings, file, strlen(file));

	if (!name)
		return -ENOMEM;
	if (jit->line_count == LINES_MAX)
		return 0;
	if (!grow(&jit->lines, jit->line_count, sizeof(*jit->lines)))
		return -ENOMEM;
	jit->lines[jit->line_count++] = (struct line){ address, name, line };
	return 0;
}

static int by_address(const void *left, const void *right)
{
	const struct line *a = left;
	const struct line *b = right;

	return order_of(a->address, b->address) ?: order_of(a->line, b->line);
}

static int take_code(void *context, uint64_t address, uint64_t bytes, const char *name)
{
	struct jit *jit = context;
	struct code code = {
		.start = address,
		.name = string_table_intern(&jit->strings, name, strlen(name)),
		.first_line = jit->line_taken,
		.line_count = jit->line_count - jit->line_taken,
	};

	if (code.line_count)
		qsort(jit->lines + code.first_line, code.line_count, sizeof(*jit->lines),
		      by_address);
	jit->line_taken = jit->line_count;
	return add_code(jit, &code, bytes);
}

static int take_move(void *context, uint64_t from, uint64_t to, uint64_t bytes)
{
	struct jit *jit = context;
	const uint32_t *last = map_at(&jit->starts, from, 0);
	struct code code;

	if (!last)
		return -ENOMEM;
	if (!*last)
		return 0; /* a move of code that was never reported */
	code = jit->codes[*last - 1];
	code.moved += to - from;
	code.start = to;
	return add_code(jit, &code, bytes);
}

/* Skip malformed lines. */
static int take_map_line(struct jit *jit, char *text)
{
	struct code code = { 0 };
	char *rest;
	uint64_t bytes;

	code.start = strtoull(text, &rest, 16);
	if (rest == text || *rest != ' ')
		return 0;
	text = rest;
	bytes = strtoull(text, &rest, 16);
	if (rest == text || *rest != ' ')
		return 0;
	rest++;
	code.name = string_table_intern(&jit->strings, rest, strcspn(rest, "\n"));
	return add_code(jit, &code, bytes);
}

static void read_map(struct jit *jit, FILE *file)
{
	char *line = NULL;
	size_t line_bytes = 0;

	while (getline(&line, &line_bytes, file) > 0 && jit->code_count < CODES_MAX)
		if (take_map_line(jit, line))
			break;
	free(line);
}

struct jit *jit_read(FILE *map, FILE *dump, unsigned pid)
{
	struct jit *jit = calloc(1, sizeof(*jit));
	const struct jitdump_sink sink = { take_line, take_code, take_move, jit };

	if (!jit)
		return NULL;
	if (map)
		read_map(jit, map);
	if (dump)
		jitdump_read(dump, pid, &sink);
	if (ranges_build(&jit->ranges))
		ranges_free(&jit->ranges);
	return jit;
}

/* True for a file that is not the map which the process saw. */
static bool is_other_map(const struct spool_header *header, const struct stat *st)
{
	return header->map_inode &&
	       (st->st_ino != header->map_inode || st->st_dev != header->map_device);
}

static FILE *open_file(const struct spool_header *header, const char *path, bool is_map)
{
	struct stat st;
	bool hole;
	int fd = user_file_open_regular(path, O_NOFOLLOW);

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && (st.st_uid == header->uid || st.st_uid == 0) &&
	    !(is_map && is_other_map(header, &st)) &&
	    (uint64_t)st.st_mtim.tv_sec + 1 >= header->start_realtime_ns / 1000000000)
		return user_file_stream(fd, user_file_bytes(fd, &hole));
	close(fd);
	return NULL;
}

/* Opens the path as the process sees it, if it runs; otherwise as we see it. */
static FILE *open_of(const struct spool_header *header, const char *path, bool is_map)
{
	unsigned live = spool_files_live_pid(header);
	char there[PATH_BYTES + 64];
	FILE *file = NULL;

	if (live) {
		snprintf(there, sizeof(there), "/proc/%u/root%s", live, path);
		file = open_file(header, there, is_map);
	}
	return file ? file : open_file(header, path, is_map);
}

/* Its maker mapped it, so that its path is known. */
static FILE *open_mapped_dump(const struct spool_read *spool, const char *base)
{
	const size_t length = strlen(base);
	FILE *file = NULL;

	for (size_t i = 0; !file && i < spool->module_count; i++) {
		const char *path = spool->modules[i].path;
		size_t bytes = strlen(path);

		if (path[0] == '/' && bytes > length && !strcmp(path + bytes - length, base))
			file = open_of(&spool->header, path, false);
	}
	return file;
}

static FILE *open_dump(const struct spool_read *spool)
{
	const char *const directories[] = { spool->header.directory, "/tmp" };
	char base[32];
	FILE *file;

	snprintf(base, sizeof(base), "/jit-%u.dump", spool->header.pid);
	file = open_mapped_dump(spool, base);
	for (size_t i = 0; !file && i < sizeof(directories) / sizeof(directories[0]); i++) {
		char path[PATH_BYTES];

		snprintf(path, sizeof(path), "%s%s", directories[i], base);
		if (directories[i][0] == '/')
			file = open_of(&spool->header, path, false);
	}
	return file;
}

struct jit *jit_new(const struct spool_read *spool)
{
	FILE *map, *dump = open_dump(spool);
	struct jit *jit;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", spool->header.pid);
	map = open_of(&spool->header, path, true);
	jit = jit_read(map, dump, spool->header.pid);
	if (map)
		fclose(map);
	if (dump)
		fclose(dump);
	return jit;
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	ranges_free(&jit->ranges);
	map_free(&jit->starts);
	string_table_free(&jit->strings);
	free(jit->codes);
	free(jit->lines);
	free(jit);
}

static const struct code *find_code(const struct jit *jit, uint64_t address)
{
	const struct range *range = ranges_find(&jit->ranges, address);

	return range ? &jit->codes[range->value] : NULL;
}

const char *jit_find(const struct jit *jit, uint64_t address)
{
	const struct code *code = find_code(jit, address);

	return code ? string_table_text(&jit->strings, code->name) : NULL;
}

const char *jit_frame_find(const struct jit *jit, uint64_t address, const char **ending)
{
	const char *name = jit_find(jit, address);
	bool interpreter = name && !strcmp(name, "Interpreter");

	*ending = interpreter ? "_[p]" : "_[j]";
	return interpreter ? "[interpreted Java method]" : name;
}

bool jit_line(const struct jit *jit, uint64_t address, const char **file, uint32_t *line)
{
	const struct code *code = find_code(jit, address);
	const struct line *lines;
	size_t above;

	if (!code || !code->line_count)
		return false;
	lines = jit->lines + code->first_line;
	above = ranges_upper(lines, code->line_count, sizeof(*lines), address - code->moved);
	if (!above || !lines[above - 1].line)
		return false;
	*file = string_table_text(&jit->strings, lines[above - 1].file);
	*line = lines[above - 1].line;
	return true;
}
