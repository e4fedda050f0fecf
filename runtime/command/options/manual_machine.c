/*
 * The verbs that describe this machine and this command.
 */
#include "runtime/command/options/manual_tables.h"

static const struct manual_option events_options[] = {
	{ "all", 'a', NULL, NULL, "list tracepoints and the names of the processor's manual too" },
	{ 0 },
};

const struct manual manual_events = {
	.name = "events",
	.synopsis = { "events [--all] [PATTERN]" },
	.summary = "list the events of this machine, and try each of them",
	.text = "Lists what can be counted and sampled on this machine: the name, whether its "
		"counter opened when tried, and what it counts. PATTERN is a glob over names; a "
		"word that is not a name lists all names that contain it. "
		"Tracepoints and the processor's own names are only counted, unless --all or a "
		"PATTERN is given.\n\n"
		"flametrap help events describes the names and terms that -e takes.",
	.options = { events_options },
	.most = 1,
	.operands = MANUAL_EVENT,
	.status = "0; 1 if nothing here has such a name; 2 for wrong usage.",
	.examples = {
		{ "flametrap events", "Everything but the long lists" },
		{ "flametrap events --all", "The long lists too" },
		{ "flametrap events page-faults", "One event" },
		{ "flametrap events '*-faults'", "All kinds of faults" },
		{ "flametrap events 'c*'", "All that begin with c" },
	},
};

const struct manual manual_doctor = {
	.name = "doctor",
	.synopsis = { "doctor" },
	.summary = "say what works here, what is refused, and what would help",
	.text = "Tries what profiling needs on this machine, as this user, and names for each thing "
		"that is refused the setting that refuses it and the command that changes it.",
	.operands = NULL,
	.status = "0; 1 if no program could be sampled at all; 2 for wrong usage.",
	.examples = {
		{ "flametrap doctor", "Everything" },
		{ "flametrap doctor | grep -v ^good", "Only what is missing" },
		{ "flametrap doctor >doctor.txt", "For a bug report" },
		{ "flametrap doctor && flametrap ./app", "Profile only where sampling is possible" },
		{ "flametrap doctor --help", "Print the help text" },
	},
};

static const struct manual_option help_options[] = {
	{ "man", OPTION_MAN, "PAGE", NULL,
	  "print the source of a manual page, flametrap-fold.1 for example; list names all" },
	{ "completion", OPTION_COMPLETION, "SHELL", "bash zsh fish",
	  "print the script by which a shell completes words of this command" },
	{ 0 },
};

const struct manual manual_help = {
	.name = "help",
	.synopsis = { "help [VERB|settings|events]", "help --man PAGE | --completion SHELL" },
	.summary = "print help on a verb, on settings or on events",
	.text = "Prints an overview, or what VERB --help prints. help settings lists every option "
		"of flametrap run with its environment variable; help events lists the names and "
		"terms that -e takes.",
	.options = { help_options },
	.most = 1,
	.operands = "settings events",
	.status = "0; 1 if standard output cannot be written; 2 if there is no such topic.",
	.examples = {
		{ "flametrap help", "All verbs in short" },
		{ "flametrap help report", "One verb" },
		{ "flametrap help settings", "Every option and its variable" },
		{ "flametrap help events", "Names and terms for -e" },
		{ "flametrap help --completion bash >flametrap.bash", "Completion, to be sourced" },
	},
};
