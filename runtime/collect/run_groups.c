/*
 * Two runs of one command may keep their spools under one stem.  Those of the command tell which
 * they are of; of others, only the time tells which belong together.
 */
#include "runtime/collect/sources.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/text.h"
#include "runtime/command/base/paths.h"
#include "runtime/collect/run_dir.h"
#include "runtime/command/base/status_line.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/spool/spool_name.h"

#define NAME_SHOWN 40
#define NS_PER_S   UINT64_C(1000000000)

/* Returns the private directory of the run that left a spool, or "STEM" of the copies
 * STEM.PID.spool and STEM.PID-N.spool that a run kept; to be freed.  NULL: the path does not tell.
 */
static char *place_of(const char *path)
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

/* One operand.  Runs and sets of related spools are found by joining sets (union-find). */
struct member {
	char *operand;
	size_t joined;	/* index of a member of the same set; its own index at the head of a set */
	unsigned group; /* of members that the caller put together */
	bool spool;	/* only then the rest is set */
	uint32_t pid, parent_pid;
	uint32_t run; /* 0: not known */
	uint64_t start_ticks;
	uint64_t from_ns, to_ns; /* since 1970; to_ns: UINT64_MAX if its end was not recorded */
	char *place;		 /* place_of() */
	char *executable;
	char *output; /* empty: none */
	char command[17];
	char host[SPOOL_NAME_MAX + 1];
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
	memcpy(member->command, header->command, sizeof(header->command));
	memcpy(member->host, header->host, sizeof(member->host));
	member->place = place_of(member->operand);
	member->executable = strdup(header->executable);
	member->output = strdup(header->output);
	member->spool = member->executable && member->output;
}

/* A file that cannot be read is reported when it is read. */
static struct member *read_members(char *const *operands, const unsigned *groups, size_t count)
{
	struct member *members = calloc(count + 1, sizeof(*members));

	for (size_t i = 0; members && i < count; i++) {
		struct spool_header *header =
			strcmp(operands[i], "-") != 0 ? spool_read_header_of(operands[i]) : NULL;

		members[i].operand = operands[i];
		members[i].group = groups ? groups[i] : 0;
		if (header)
			fill(&members[i], header);
		free(header);
	}
	return members;
}

static void free_members(struct member *members, size_t count)
{
	for (size_t i = 0; members && i < count; i++) {
		free(members[i].place);
		free(members[i].executable);
		free(members[i].output);
	}
	free(members);
}

/* Returns the index of the first member of a set. */
static size_t head_of(const struct member *members, size_t i)
{
	while (members[i].joined != i)
		i = members[i].joined;
	return i;
}

/* Join the members that belong together.  Returns the number of sets.  Most members belong to the
 * first one, so that each is compared with few others. */
static size_t join_sets(struct member *members, size_t count,
			bool (*together)(const struct member *a, const struct member *b))
{
	size_t sets = 0;

	for (size_t i = 0; i < count; i++) {
		members[i].joined = i;
		sets++;
		for (size_t j = 0; j < i && sets > 1; j++) {
			size_t a = head_of(members, j), b = head_of(members, i);

			if (a == b || !together(&members[j], &members[i]))
				continue;
			members[a > b ? a : b].joined = a > b ? b : a;
			sets--;
		}
	}
	return sets;
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

static bool are_equal(const char *a, const char *b)
{
	return a && b && a[0] && !strcmp(a, b);
}

static bool same_place(const struct member *a, const struct member *b)
{
	return are_equal(a->place, b->place) || are_equal(a->output, b->output);
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

static bool is_one_run(const struct member *a, const struct member *b)
{
	if (!a->spool || !b->spool)
		return false;
	if (a->run && b->run)
		return a->run == b->run;
	if (are_equal(a->place, b->place) && (spool_name_is_run(a->place) || is_of_one_run(a)))
		return true;
	if (strcmp(a->host, b->host) != 0)
		return false;
	if (a->pid == b->pid && a->start_ticks == b->start_ticks)
		return true;
	return started(a, b) || started(b, a) || (same_place(a, b) && overlap(a, b));
}

static void put_in_order(const struct member *members, size_t count, char **operands, size_t *size,
			 size_t *runs)
{
	size_t put = 0;

	*runs = 0;
	for (size_t i = 0; i < count; i++) {
		size_t before = put;

		for (size_t j = i; members[i].joined == i && j < count; j++)
			if (head_of(members, j) == i)
				operands[put++] = members[j].operand;
		if (put > before)
			size[(*runs)++] = put - before;
	}
}

int run_groups_order(char **operands, size_t count, size_t *size, size_t *runs)
{
	struct member *members = read_members(operands, NULL, count);

	if (!members)
		return -ENOMEM;
	join_sets(members, count, is_one_run);
	put_in_order(members, count, operands, size, runs);
	free_members(members, count);
	return 0;
}

static bool are_related(const struct member *a, const struct member *b)
{
	if (a->group == b->group)
		return true;
	if (!strcmp(a->executable, b->executable) && !strcmp(a->command, b->command))
		return true;
	if (same_place(a, b))
		return true;
	return !strcmp(a->host, b->host) &&
	       (a->pid == b->pid || a->parent_pid == b->pid || b->parent_pid == a->pid);
}

/* Returns the first member of a second set; NULL if there is only one set. */
static const struct member *find_stranger(struct member *members, size_t count)
{
	size_t i = 1;

	if (join_sets(members, count, are_related) < 2)
		return NULL;
	while (!head_of(members, i))
		i++;
	return &members[head_of(members, i)];
}

static void add_name(struct text *line, const struct member *member)
{
	text_escaped(line, member->command, strlen(member->command), NAME_SHOWN);
	text_add(line, " (pid ");
	text_number(line, member->pid);
	text_add(line, ")");
}

/* Returns a spool of another run than the first one's, in another operand; NULL if there is none.
 */
static const struct member *find_other_run(const struct member *members, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (members[i].run && members[0].run && members[i].run != members[0].run &&
		    members[i].group != members[0].group)
			return &members[i];
	return NULL;
}

/* Writes "app (pid 1) and app (pid 2) are WHAT: …". */
static void complain(const struct member *one, const struct member *other, const char *what)
{
	char text[256];
	struct text line = text_into(text, sizeof(text));

	add_name(&line, one);
	text_add(&line, " and ");
	add_name(&line, other);
	text_add_all(&line, " are ", what, ": name those of one, or --merge them all", NULL);
	status_line_text(text);
}

static void complain_runs(const struct member *one, const struct member *other)
{
	uint64_t apart_ns = one->from_ns > other->from_ns ? one->from_ns - other->from_ns
							  : other->from_ns - one->from_ns;
	char apart[32], what[64];

	if (apart_ns < 10 * NS_PER_S)
		number_text_duration(apart_ns, apart, sizeof(apart));
	else
		snprintf(apart, sizeof(apart), "%" PRIu64 " s",
			 (apart_ns + NS_PER_S / 2) / NS_PER_S);
	snprintf(what, sizeof(what), "of two runs, %s apart", apart);
	complain(one, other, what);
}

/* Files that are no spools do not count. */
int run_groups_check(char *const *operands, const unsigned *groups, size_t count)
{
	struct member *members = read_members(operands, groups, count);
	const struct member *stranger, *other;
	size_t spools = 0;

	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct member member = members[i];

		if (!member.spool)
			continue;
		members[i] = members[spools];
		members[spools++] = member;
	}
	stranger = find_stranger(members, spools);
	other = stranger ? NULL : find_other_run(members, spools);
	if (stranger)
		complain(&members[0], stranger, "different commands");
	else if (other)
		complain_runs(&members[0], other);
	free_members(members, count);
	return stranger || other ? -EINVAL : 0;
}
