/*
 * main of the command: a verb, or else a command to run.
 */
#include <stddef.h>
#include <string.h>

#include "preload/launcher/help.h"
#include "preload/launcher/sysfs.h"
#include "preload/launcher/verbs.h"

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
};

static const struct verb verbs[] = {
	{ "run", verb_run },	   { "watch", verb_watch },   { "fold", verb_fold },
	{ "graph", verb_graph },   { "report", verb_report }, { "recover", verb_recover },
	{ "finish", verb_finish }, { "help", verb_help },     { "events", verb_events },
	{ "doctor", verb_doctor }, { "diff", verb_diff },     { "start", verb_start },
	{ "stop", verb_stop },
};

int main(int argc, char **argv)
{
	sysfs_lend();
	if (argc < 2)
		return verb_run(argc, argv);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return help_version();
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help_topic(NULL);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 1, argv + 1);
	}
	return verb_run(argc, argv);
}
