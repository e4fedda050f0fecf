/*
 * The directory is anyone's, so the file is opened without following links and its owner is
 * checked.  A map older than the process was left by an earlier one with the same pid.
 */
#include "runtime/fold/jit.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fold/names.h"
#include "runtime/fold/ranges.h"

#define LINES_MAX (1u << 24)

struct jit {
	struct names *names;
	struct ranges ranges;
};

static bool parse(struct jit *jit, char *line, uint32_t order)
{
	char *rest;
	uint64_t start = strtoull(line, &rest, 16);
	uint64_t size;
	uint32_t name;

	if (rest == line || *rest != ' ')
		return true;
	line = rest;
	size = strtoull(line, &rest, 16);
	if (rest == line || *rest != ' ' || start + size < start)
		return true;
	rest++;
	name = names_intern(jit->names, rest, strcspn(rest, "\n"));
	return name && !ranges_add(&jit->ranges, start, start + size, order, name);
}

struct jit *jit_read(FILE *file)
{
	struct jit *jit = calloc(1, sizeof(*jit));
	char *line = NULL;
	size_t line_bytes = 0;

	if (!jit)
		return NULL;
	jit->names = names_new();
	if (!jit->names) {
		free(jit);
		return NULL;
	}
	for (uint32_t order = 0; file && order < LINES_MAX; order++)
		if (getline(&line, &line_bytes, file) <= 0 || !parse(jit, line, order))
			break;
	free(line);
	if (ranges_build(&jit->ranges))
		ranges_free(&jit->ranges);
	return jit;
}

static FILE *open_map(unsigned pid, uid_t uid, uint64_t since_ns)
{
	char path[64];
	struct stat st;
	FILE *file = NULL;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_uid == uid || st.st_uid == 0) &&
	    (uint64_t)st.st_mtim.tv_sec + 1 >= since_ns / 1000000000)
		file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

struct jit *jit_new(unsigned pid, uid_t uid, uint64_t since_ns)
{
	FILE *file = open_map(pid, uid, since_ns);
	struct jit *jit = jit_read(file);

	if (file)
		fclose(file);
	return jit;
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	ranges_free(&jit->ranges);
	names_free(jit->names);
	free(jit);
}

const char *jit_find(const struct jit *jit, uint64_t address)
{
	const struct range *range = ranges_find(&jit->ranges, address);

	return range ? names_text(jit->names, range->value) : NULL;
}
