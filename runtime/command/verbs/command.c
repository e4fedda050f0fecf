/* main() of the command: runs a verb, or profiles a command. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "runtime/command/base/paths.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/inspect/events_list.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/options/manual_text.h"

#define STATUS_USAGE	 2
#define STATUS_NOT_FOUND 127

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
};

#define ROW(name) { #name, verb_##name },

static const struct verb verbs[] = { VERBS(ROW) VERBS_INTERNAL(ROW) };

/* Handles a command without a path that is a verb of another profiler, or that does not exist and
 * resembles such a verb or one of ours.  Returns the exit status, or 0 to run the command. */
static int explain(const char *word)
{
	bool option_or_path = word[0] == '-' || strchr(word, '/');
	const char *answer = suggestions_verb(word);
	const char *foreign = NULL;
	const char *near = option_or_path ? NULL : suggestions_nearest_verb(word, &foreign);
	char file[PATH_MAX];

	if (answer)
		return fail(STATUS_USAGE,
			    "%s is not a verb: %s; to run a program of that name: flametrap run %s",
			    word, answer, word);
	if (!near || paths_command(word, file, sizeof(file)) == 0)
		return 0;
	if (foreign)
		status_line("%.60s: %s; nearest: %s, which is not a verb: %s", word,
			    strerror(ENOENT), near, foreign);
	else
		status_line("%.60s: %s; nearest verb: %s", word, strerror(ENOENT), near);
	return STATUS_NOT_FOUND;
}

int main(int argc, char **argv)
{
	int status;

	terminal_safe_guard();
	events_list_lend();
	if (argc < 2)
		return verb_run(argc, argv);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		manual_print_version();
		return status_line_flushed();
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		manual_print_overview();
		return status_line_flushed();
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	}
	status = explain(argv[1]);
	return status ? status : verb_run(argc, argv);
}
