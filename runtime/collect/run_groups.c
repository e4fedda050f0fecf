/*
 * Two runs of one command may keep their spools under one stem.  Those of the command tell which
 * they are of; of others, only the time tells which belong together.
 */
#include "runtime/collect/run_groups.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/base/paths.h"
#include "runtime/command/base/run_dir.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/spool/spool_name.h"

char *run_groups_place(const char *path)
{
	size_t stem = spool_name_copy_stem(path);
	char directory[PATH_MAX], run[PATH_MAX];
	struct spool_name name;

	paths_directory(path, directory, sizeof(directory));
	run_dir_name(directory, run, sizeof(run));
	if (strcmp(run, directory) != 0)
		return strdup(run);
	if (spool_name_parse(path, &name))
		return spool_name_is_run(directory) ? strdup(directory) : NULL;
	return stem ? strndup(path, stem) : NULL;
}

/* One operand. */
struct member {
	char *operand;
	bool spool; /* only then the rest is set */
	uint32_t pid, parent_pid;
	uint32_t run; /* 0: not known */
	uint64_t start_ticks;
	uint64_t from_ns, to_ns; /* since 1970; to_ns: UINT64_MAX if its end was not recorded */
	char *host;
	char *place;  /* run_groups_place() */
	char *output; /* empty: none */
	size_t group; /* index of the first member of its run */
};

static void fill(struct member *member, const struct spool_header *header)
{
	uint64_t start = header->start_realtime_ns;
	bool ended = header->end_ns >= header->start_ns;

	member->pid = header->pid;
	member->parent_pid = header->parent_pid;
	member->run = header->run;
	member->start_ticks = header->start_ticks;
	member->from_ns = start;
	member->to_ns = ended ? start + (header->end_ns - header->start_ns) : UINT64_MAX;
	member->host = strdup(header->host);
	member->place = run_groups_place(member->operand);
	member->output = strdup(header->output);
	member->spool = member->host && member->output;
}

/* A file that cannot be read is reported when it is read. */
static void read_member(struct member *member, struct spool_header *header)
{
	char line[256];

	if (strcmp(member->operand, "-") != 0 &&
	    !spool_read_header(member->operand, header, line, sizeof(line)))
		fill(member, header);
}

static bool started(const struct member *parent, const struct member *child)
{
	return child->parent_pid == parent->pid && child->from_ns >= parent->from_ns &&
	       child->from_ns <= parent->to_ns;
}

/* A process of which no end is known may have ended at once. */
static bool overlap(const struct member *a, const struct member *b)
{
	const struct member *first = a->from_ns <= b->from_ns ? a : b;
	const struct member *second = first == a ? b : a;

	return first->to_ns != UINT64_MAX && second->from_ns <= first->to_ns;
}

static bool same_place(const struct member *a, const struct member *b)
{
	if (a->place && b->place && !strcmp(a->place, b->place))
		return true;
	return a->output[0] && !strcmp(a->output, b->output);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "a-001": flametrap ab --save gives each run a stem of its own.  Where the output that was asked
 * for has that name, several runs may have it. */
static bool is_of_one_run(const struct member *member)
{
	const char *name = last_part(member->place);
	size_t digits;

	if ((name[0] != 'a' && name[0] != 'b') || name[1] != '-')
		return false;
	digits = strspn(name + 2, "0123456789");
	return digits >= 3 && !name[2 + digits] && strcmp(name, last_part(member->output)) != 0;
}

static bool belong_together(const struct member *a, const struct member *b)
{
	if (!a->spool || !b->spool)
		return false;
	if (a->run && b->run)
		return a->run == b->run;
	if (a->place && b->place && !strcmp(a->place, b->place) &&
	    (spool_name_is_run(a->place) || is_of_one_run(a)))
		return true;
	if (strcmp(a->host, b->host) != 0)
		return false;
	if (a->pid == b->pid && a->start_ticks == b->start_ticks)
		return true;
	return started(a, b) || started(b, a) || (same_place(a, b) && overlap(a, b));
}

static void join(struct member *members, size_t count, size_t from, size_t to)
{
	size_t first = from < to ? from : to, second = from < to ? to : from;

	for (size_t i = 0; i < count; i++)
		if (members[i].group == second)
			members[i].group = first;
}

static void find_groups(struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		members[i].group = i;
		for (size_t j = 0; j < i; j++)
			if (members[i].group != members[j].group &&
			    belong_together(&members[i], &members[j]))
				join(members, i + 1, members[i].group, members[j].group);
	}
}

static void put_in_order(const struct member *members, size_t count, char **operands, size_t *size,
			 size_t *runs)
{
	size_t put = 0;

	*runs = 0;
	for (size_t i = 0; i < count; i++) {
		size_t before = put;

		for (size_t j = i; members[i].group == i && j < count; j++)
			if (members[j].group == i)
				operands[put++] = members[j].operand;
		if (put > before)
			size[(*runs)++] = put - before;
	}
}

int run_groups_order(char **operands, size_t count, size_t *size, size_t *runs)
{
	struct member *members = calloc(count + 1, sizeof(*members));
	struct spool_header *header = malloc(sizeof(*header));
	int err = members && header ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < count; i++) {
		members[i].operand = operands[i];
		read_member(&members[i], header);
	}
	if (!err) {
		find_groups(members, count);
		put_in_order(members, count, operands, size, runs);
	}
	for (size_t i = 0; members && i < count; i++) {
		free(members[i].host);
		free(members[i].place);
		free(members[i].output);
	}
	free(header);
	free(members);
	return err;
}
