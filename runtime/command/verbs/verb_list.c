/* flametrap list: the profiled processes of this user, or of all users for root. */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/text/text.h"
#include "runtime/collect/processes.h"
#include "runtime/command/base/status_line.h"
#include "runtime/collect/spool_search.h"
#include "runtime/command/options/arguments.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/base/now.h"
#include "runtime/profile/spool/spool_read.h"

#define COLUMNS	   6
#define CELL_BYTES 72
#define NAME_SHOWN 60
#define NS_PER_S   1000000000u

/* A table as text: column widths are known when all of it is. */
struct cells {
	char cell[COLUMNS][CELL_BYTES];
};

static const struct cells heads = { { "PID", "USER", "COMMAND", "AGE", "SAMPLES", "STATE" } };

static uint64_t samples_of(const struct processes *processes, const struct process *process)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < process->count; i++) {
		struct spool_read spool;
		char line[256];

		if (spool_read_slots(processes->path[process->first + i], &spool, line,
				     sizeof(line)) < 0)
			continue;
		samples += spool.header.count[SPOOL_COUNT_SAMPLES];
		for (size_t t = 0; t < spool.thread_count; t++)
			samples += spool.threads[t].slot.count[SPOOL_COUNT_SAMPLES];
		spool_read_free(&spool);
	}
	return samples;
}

static uint64_t age_seconds(const struct process *process)
{
	uint64_t now_ns = now_realtime_ns();

	return now_ns > process->start_realtime_ns
		       ? (now_ns - process->start_realtime_ns) / NS_PER_S
		       : 0;
}

/* Writes "42s", "12m04s", "2h05m", "3d04h". */
static void age_text(uint64_t seconds, char *text, size_t bytes)
{
	if (seconds < 60)
		snprintf(text, bytes, "%us", (unsigned)seconds);
	else if (seconds < 3600)
		snprintf(text, bytes, "%um%02us", (unsigned)seconds / 60, (unsigned)seconds % 60);
	else if (seconds < 86400)
		snprintf(text, bytes, "%uh%02um", (unsigned)seconds / 3600,
			 (unsigned)seconds % 3600 / 60);
	else
		snprintf(text, bytes, "%" PRIu64 "d%02uh", seconds / 86400,
			 (unsigned)(seconds % 86400) / 3600);
}

static void user_text(uid_t user, char *text, size_t bytes)
{
	const struct passwd *entry = getpwuid(user);

	if (entry)
		snprintf(text, bytes, "%s", entry->pw_name);
	else
		snprintf(text, bytes, "%u", user);
}

static void fill(const struct processes *processes, const struct process *process,
		 struct cells *row)
{
	struct text command = text_into(row->cell[2], CELL_BYTES);

	snprintf(row->cell[0], CELL_BYTES, "%u", process->pid);
	user_text(process->owner, row->cell[1], CELL_BYTES);
	text_escaped(&command, process->command, strlen(process->command), NAME_SHOWN);
	age_text(age_seconds(process), row->cell[3], CELL_BYTES);
	snprintf(row->cell[4], CELL_BYTES, "%" PRIu64, samples_of(processes, process));
	snprintf(row->cell[5], CELL_BYTES, "%s%s", spool_files_state_name(process->state),
		 process->paused && process->state == SPOOL_FILES_RUNNING ? ", paused" : "");
}

static void print_row(const struct cells *row, const int *width)
{
	static const bool right[COLUMNS] = { true, false, false, true, true, false };
	bool everybody = geteuid() == 0;

	for (int i = 0; i < COLUMNS; i++) {
		if (i == 1 && !everybody)
			continue;
		if (i == COLUMNS - 1)
			printf("%s\n", row->cell[i]);
		else
			printf("%*s  ", right[i] ? width[i] : -width[i], row->cell[i]);
	}
}

static int print_table(const struct processes *processes)
{
	struct cells *rows = calloc(processes->count + 1, sizeof(*rows));
	int width[COLUMNS] = { 0 };

	if (!rows)
		return -ENOMEM;
	rows[0] = heads;
	for (size_t i = 0; i < processes->count; i++)
		fill(processes, &processes->process[i], &rows[i + 1]);
	for (size_t i = 0; i <= processes->count; i++)
		for (int column = 0; column < COLUMNS; column++) {
			int length = (int)strlen(rows[i].cell[column]);

			width[column] = length > width[column] ? length : width[column];
		}
	for (size_t i = 0; i <= processes->count; i++)
		print_row(&rows[i], width);
	free(rows);
	return 0;
}

static void print_json_process(const struct processes *processes, const struct process *process,
			       struct json *json)
{
	char user[CELL_BYTES];

	user_text(process->owner, user, sizeof(user));
	json_object(json, NULL);
	json_members(json,
		     "pid:%u parent_pid:%u uid:%u user:%s command:%s state:%s paused:%hhd "
		     "age_seconds:%lu samples:%lu",
		     process->pid, process->parent_pid, process->owner, user, process->command,
		     spool_files_state_name(process->state), process->paused, age_seconds(process),
		     samples_of(processes, process));
	json_array(json, "spools");
	for (size_t i = 0; i < process->count; i++)
		json_text(json, NULL, processes->path[process->first + i]);
	json_end(json, "]}");
}

static void print_json(const struct processes *processes)
{
	struct json json = { .file = stdout };

	json_array(&json, NULL);
	for (size_t i = 0; i < processes->count; i++) {
		json_next_line(&json);
		print_json_process(processes, &processes->process[i], &json);
	}
	json_end(&json, "]");
	putchar('\n');
}

static const struct manual_option list_options[] = {
	{ "json", 0, NULL, NULL, options_flag, 0, "the same as JSON, for programs" },
	{ 0 },
};

const struct manual manual_list = {
	.name = "list",
	.synopsis = { "list [--json]" },
	.summary = "show the processes that are profiled, or were and left their samples",
	.text = "Lists the processes of this user that have a spool in $FLAMETRAP_SPOOL, /dev/shm or "
		"the current directory, or in the directory of a flametrap command that runs or was "
		"killed; for root those of all users. Each has its pid, its command, the time since "
		"it started, the samples so far, and its state: running, finished (its profile is "
		"written when the command that runs it, or its parent, ends), or killed (flametrap recover writes "
		"its profile).\n\n"
		"report, graph, fold and diff read the samples of a PID without disturbing the "
		"process; start and stop begin and end its sampling.",
	.options = { list_options },
	.status = "0; 1 if the processes cannot be found; 2 for wrong usage.",
	.examples = {
		{ "flametrap list", "Your profiled processes" },
		{ "flametrap list | grep running", "Only those that run" },
		{ "flametrap list --json", "The same as JSON" },
		{ "flametrap list && flametrap report 1234", "Look for a process and at its samples" },
		{ "flametrap list --json >processes.json", "For a program, into a file" },
	},
};

int verb_list(int argc, char **argv)
{
	struct processes processes;
	bool json = false;
	int status = 2, err;

	if (arguments_read(&manual_list, argc, argv, ARGUMENTS(&json), &status) < 0)
		return status;
	err = processes_find(&processes);
	if (json)
		terminal_safe_data();
	if (!err && json)
		print_json(&processes);
	else if (!err && processes.count)
		err = print_table(&processes);
	else if (!err)
		puts("no profiled processes");
	processes_free(&processes);
	if (status_line_flushed())
		return 1;
	if (!err)
		spool_search_unfinished();
	return err ? 1 : 0;
}
