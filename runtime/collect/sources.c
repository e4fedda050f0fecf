/*
 * An operand is a file if one of that name exists, otherwise a process ID.  For a process, the
 * spools of all its images are taken; the process table owns their paths.
 */
#include "runtime/collect/sources.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text/text.h"
#include "runtime/command/base/status_line.h"
#include "runtime/collect/run_groups.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/spool/spool_read.h"

#define NAME_SHOWN 40
#define NS_PER_S   UINT64_C(1000000000)

static int add(struct sources *sources, char *path, unsigned operand)
{
	size_t most = sources->count + 1;
	char **paths = reallocarray(sources->path, most, sizeof(*paths));
	unsigned *operands;

	if (!paths)
		return -ENOMEM;
	sources->path = paths;
	operands = reallocarray(sources->operand, most, sizeof(*operands));
	if (!operands)
		return -ENOMEM;
	sources->operand = operands;
	paths[sources->count] = path;
	operands[sources->count++] = operand;
	return 0;
}

/* Makes "flametrap.COMMAND.PID", like the names of a run's own files. */
static void name_after(struct sources *sources, const struct process *process)
{
	char command[sizeof(process->command)];

	memcpy(command, process->command, sizeof(command));
	for (char *c = command; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
			*c = '_';
	snprintf(sources->name, sizeof(sources->name), "flametrap.%s.%u", command, process->pid);
}

static int add_process(struct sources *sources, uint32_t pid, bool tree, unsigned operand)
{
	struct processes *processes = &sources->processes;
	int err = processes->path ? 0 : processes_find(processes);

	if (!err && !processes_want(processes, pid, tree))
		err = -ESRCH;
	for (size_t i = 0; !err && i < processes->count; i++) {
		const struct process *process = &processes->process[i];

		if (!process->wanted)
			continue;
		if (!operand && (!sources->name[0] || process->pid == pid))
			name_after(sources, process);
		for (size_t image = 0; !err && image < process->count; image++)
			err = add(sources, processes->path[process->first + image], operand);
	}
	return err;
}

static int add_operand(struct sources *sources, char *text, bool tree, unsigned operand)
{
	uint32_t pid;

	if (processes_is_pid(text, &pid) && access(text, F_OK))
		return add_process(sources, pid, tree, operand);
	return status_line_error(NULL, add(sources, text, operand));
}

/* The data of a spool that shows its relations.  Sets are joined as relations are found
 * (union-find).  The second spool is usually related to the first, so each spool is compared with
 * few others. */
struct kin {
	const char *path;
	unsigned group;
	size_t joined; /* index of a relative; its own index at the head of a set */
	uint32_t pid;
	uint32_t parent_pid;
	uint32_t run_number; /* of struct spool_header; 0: not known */
	uint64_t start_ns;   /* since 1970 */
	char *run;	     /* see run_groups_place(); NULL: none */
	char *executable;
	char *output;
	char command[17];
	char host[SPOOL_NAME_MAX + 1];
};

/* Returns false for a file that is no spool; reading it reports the error later. */
static bool read_kin(const char *path, unsigned group, struct kin *kin)
{
	struct spool_header *header = malloc(sizeof(*header));
	char line[256];
	bool read = header && strcmp(path, "-") != 0 &&
		    !spool_read_header(path, header, line, sizeof(line));

	if (read) {
		*kin = (struct kin){
			.path = path,
			.group = group,
			.pid = header->pid,
			.parent_pid = header->parent_pid,
			.run_number = header->run,
			.start_ns = header->start_realtime_ns,
			.run = run_groups_place(path),
			.executable = strdup(header->executable),
			.output = strdup(header->output),
		};
		memcpy(kin->command, header->command, sizeof(header->command));
		memcpy(kin->host, header->host, sizeof(kin->host));
	}
	free(header);
	return read;
}

static bool are_related(const struct kin *a, const struct kin *b)
{
	if (a->group == b->group)
		return true;
	if (a->executable && b->executable && !strcmp(a->executable, b->executable) &&
	    !strcmp(a->command, b->command))
		return true;
	if (a->run && b->run && !strcmp(a->run, b->run))
		return true;
	if (a->output && b->output && a->output[0] && !strcmp(a->output, b->output))
		return true;
	return !strcmp(a->host, b->host) &&
	       (a->pid == b->pid || a->parent_pid == b->pid || b->parent_pid == a->pid);
}

static size_t head_of(const struct kin *kin, size_t i)
{
	while (kin[i].joined != i)
		i = kin[i].joined;
	return i;
}

/* Returns the head of a set other than the first one's; 0 if there is only one set. */
static size_t find_stranger(struct kin *kin, size_t count)
{
	size_t sets = 0;

	for (size_t i = 0; i < count; i++) {
		kin[i].joined = i;
		sets++;
		for (size_t j = 0; j < i && sets > 1; j++) {
			size_t a = head_of(kin, j), b = head_of(kin, i);

			if (a == b || !are_related(&kin[j], &kin[i]))
				continue;
			kin[a > b ? a : b].joined = a > b ? b : a;
			sets--;
		}
	}
	for (size_t i = 1; sets > 1 && i < count; i++)
		if (head_of(kin, i))
			return head_of(kin, i);
	return 0;
}

static void add_name(struct text *line, const struct kin *kin)
{
	text_escaped(line, kin->command, strlen(kin->command), NAME_SHOWN);
	text_add(line, " (pid ");
	text_number(line, kin->pid);
	text_add(line, ")");
}

/* Returns a spool of another run than the first one's, in another operand; NULL if there is none.
 */
static const struct kin *find_other_run(const struct kin *kin, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (kin[i].run_number && kin[0].run_number &&
		    kin[i].run_number != kin[0].run_number && kin[i].group != kin[0].group)
			return &kin[i];
	return NULL;
}

/* Writes "app (pid 1) and app (pid 2) are WHAT: …". */
static void complain(const struct kin *one, const struct kin *other, const char *what)
{
	char text[256];
	struct text line = text_into(text, sizeof(text));

	add_name(&line, one);
	text_add(&line, " and ");
	add_name(&line, other);
	text_add_all(&line, " are ", what, ": name those of one, or --merge them all", NULL);
	status_line_text(text);
}

static void complain_runs(const struct kin *one, const struct kin *other)
{
	uint64_t apart_ns = one->start_ns > other->start_ns ? one->start_ns - other->start_ns
							    : other->start_ns - one->start_ns;
	char apart[32], what[64];

	if (apart_ns < 10 * NS_PER_S)
		number_text_duration(apart_ns, apart, sizeof(apart));
	else
		snprintf(apart, sizeof(apart), "%" PRIu64 " s",
			 (apart_ns + NS_PER_S / 2) / NS_PER_S);
	snprintf(what, sizeof(what), "of two runs, %s apart", apart);
	complain(one, other, what);
}

/* Checks whether the spools among these paths are of one run of one command: of one executable and
 * name, of one run (one directory of a run, one stem of files that a run kept, one output), or one
 * started by the other; and not of two runs of the command.  Paths of one operand belong together;
 * files that are no spools do not count.  Returns 0; -EINVAL after a message with two unrelated
 * ones; or -ENOMEM. */
static int check_related(char *const *paths, const unsigned *group, size_t count)
{
	struct kin *kin = calloc(count + 1, sizeof(*kin));
	size_t known = 0, stranger;
	const struct kin *other;

	if (!kin)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		known += read_kin(paths[i], group[i], &kin[known]) ? 1 : 0;
	stranger = find_stranger(kin, known);
	other = stranger ? NULL : find_other_run(kin, known);
	if (stranger)
		complain(&kin[0], &kin[stranger], "different commands");
	else if (other)
		complain_runs(&kin[0], other);
	for (size_t i = 0; i < known; i++) {
		free(kin[i].run);
		free(kin[i].executable);
		free(kin[i].output);
	}
	free(kin);
	return stranger || other ? -EINVAL : 0;
}

int sources_open(struct sources *sources, const struct input_options *reading,
		 const struct profile_options *options, char **operands, size_t count)
{
	int err = 0;

	*sources = (struct sources){ 0 };
	for (size_t i = 0; !err && i < count; i++)
		err = add_operand(sources, operands[i], reading->tree, (unsigned)i);
	if (!err && !reading->merge && count > 1)
		err = check_related(sources->path, sources->operand, sources->count);
	if (!err)
		err = input_open(&sources->input, options, sources->path, sources->count,
				 status_line_text);
	return err ? err : input_options_check(reading, &sources->input);
}

void sources_close(struct sources *sources)
{
	input_close(&sources->input);
	free(sources->path);
	free(sources->operand);
	processes_free(&sources->processes);
	*sources = (struct sources){ 0 };
}
