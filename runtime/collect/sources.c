/*
 * An operand is a file if one of that name exists, otherwise a process ID.  For a process, the
 * spools of all its images are taken; the process table owns their paths.
 */
#include "runtime/collect/sources.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/command/base/status_line.h"
#include "runtime/profile/base/grow.h"

static int add(struct sources *sources, char *path, unsigned operand)
{
	if (!grow(&sources->path, sources->count, sizeof(path)) ||
	    !grow(&sources->operand, sources->count, sizeof(operand)))
		return -ENOMEM;
	sources->path[sources->count] = path;
	sources->operand[sources->count++] = operand;
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

int sources_open(struct sources *sources, const struct input_options *reading,
		 const struct profile_options *options, char **operands, size_t count)
{
	int err = 0;

	*sources = (struct sources){ 0 };
	for (size_t i = 0; !err && i < count; i++)
		err = add_operand(sources, operands[i], reading->tree, (unsigned)i);
	if (!err && !reading->merge && count > 1)
		err = run_groups_check(sources->path, sources->operand, sources->count);
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
