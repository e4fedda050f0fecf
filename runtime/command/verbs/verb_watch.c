/* flametrap watch: flametrap run with one event for each watched location. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/events/events.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"

#define LINE_BYTES 1024

/* Put an event's "mem:" before each location.  Returns NULL when memory is out; the caller frees
 * the result. */
static char *event_list(const char *places)
{
	size_t bytes;
	char *list = NULL;
	FILE *to = open_memstream(&list, &bytes);

	if (!to)
		return NULL;
	fputs("mem:", to);
	for (; *places; places++)
		fprintf(to, *places == ',' ? "%cmem:" : "%c", *places);
	if (!fclose(to))
		return list;
	free(list);
	return NULL;
}

static int wrong(const char *line)
{
	return fail(2, "%s; see flametrap watch --help", line);
}

/* Build the arguments of run: the options, the events, COMMAND. */
static int run(int argc, char **argv, int place, char *events)
{
	char **run_argv = calloc((size_t)argc + 3, sizeof(*run_argv));
	int count = 0;
	int status;

	if (!run_argv)
		return fail(1, "no memory");
	run_argv[count++] = (char *)"run";
	for (int i = 1; i < place; i++)
		if (strcmp(argv[i], "--") != 0)
			run_argv[count++] = argv[i];
	run_argv[count++] = (char *)"--events";
	run_argv[count++] = events;
	for (int i = place + 1; i < argc; i++)
		run_argv[count++] = argv[i];
	status = verb_run(count, run_argv);
	free(run_argv);
	return status;
}

static int watch(int argc, char **argv, int place)
{
	struct complaint complaint = { 0 };
	struct events *events = calloc(1, sizeof(*events));
	char *list = event_list(argv[place]);
	char line[LINE_BYTES];
	int status = 1;

	if (!events || !list) {
		status_line("no memory");
	} else if (events_parse(events, list, &complaint)) {
		snprintf(line, sizeof(line), "%.200s cannot be watched: %s", list,
			 complaint.reason);
		status = wrong(line);
	} else {
		status = run(argc, argv, place, list);
	}
	free(list);
	free(events);
	return status;
}

const struct manual manual_watch = {
	.name = "watch",
	.synopsis = { "watch [OPTION...] PLACE[,PLACE...] [--] COMMAND [ARGUMENT...]" },
	.summary = "profile who reads or writes a variable",
	.text = "Takes one sample for each access to a place in memory, in any thread, with the "
		"stack of the instruction that made it.\n\n"
		"PLACE is SYMBOL or 0xADDRESS, with +OFFSET into it, /LENGTH (1, 2, 4 or 8 "
		"bytes; 4 unless given), and :w (writes), :rw (reads and writes, which is also the "
		"default) or :x (execution). A place is a multiple of its length. A processor "
		"watches up to 4 places at a time.\n\n"
		"Symbols are those of the program and its libraries, including libraries that "
		"are loaded later: these are watched from their constructors on. The options are "
		"those of flametrap run, except -e.",
	.options = { manual_asked },
	.settings = true,
	.own_help = true,
	.least = 2,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_COMMAND,
	.before = 1,
	.status = MANUAL_STATUS_RUN " 2 if PLACE cannot be watched.",
	.examples = {
		{ "flametrap watch balance:w ./app", "Every write of a global variable" },
		{ "flametrap watch account+16/8:w -- ./app", "A field of 8 bytes at offset 16" },
		{ "flametrap watch balance:w,account/8:rw ./app", "Two places at once" },
		{ "flametrap watch --lines balance:w ./app", "With the line of each access" },
		{ "flametrap watch -o writers balance:w ./app", "Into writers.html and so on" },
	},
};

int verb_watch(int argc, char **argv)
{
	struct options options;
	int status = 2, place = arguments_read_run(&options, &manual_watch, argc, argv, &status);

	if (place < 0)
		return status;
	if (options.value[SETTING(events) - settings_table])
		return wrong("-e does not go with watch, which chooses the event itself");
	if (place >= argc)
		return wrong("nothing to watch");
	if (place + 1 >= argc)
		return wrong("no command to run");
	return watch(argc, argv, place);
}
