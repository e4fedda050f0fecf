/*
 * main of the command: a verb, or else a command to run.
 */
#include <stddef.h>
#include <string.h>

#include "preload/launcher/help.h"
#include "preload/launcher/say.h"
#include "preload/launcher/sysfs.h"
#include "preload/launcher/verbs.h"

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
};

static const struct verb verbs[] = {
	{ "run", verb_run },	   { "fold", verb_fold },	{ "graph", verb_graph },
	{ "report", verb_report }, { "recover", verb_recover }, { "finish", verb_finish },
	{ "help", verb_help },	   { "diff", verb_diff },
};

/* Names of verbs to come: a program of that name is run by `flametrap run NAME`. */
static const char *const reserved[] = { "events", "doctor" };

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
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		if (strcmp(argv[1], reserved[i]) == 0) {
			say("%s is not in this version; flametrap run %s runs a program of that "
			    "name",
			    argv[1], argv[1]);
			return 2;
		}
	}
	return verb_run(argc, argv);
}
