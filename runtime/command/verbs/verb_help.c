/*
 * The verb help: a topic, a manual page, or the completion of a shell.
 */
#include "runtime/command/verbs/verbs.h"

#include <stddef.h>

#include "runtime/command/options/arguments.h"
#include "runtime/command/options/help.h"
#include "runtime/command/options/manual.h"

/* The requests other than a topic. */
struct request {
	const char *page;
	const char *shell;
};

static const struct arguments_option options[] = {
	{ OPTION_MAN, arguments_text, offsetof(struct request, page) },
	{ OPTION_COMPLETION, arguments_text, offsetof(struct request, shell) },
	{ 0 },
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

int verb_help(int argc, char **argv)
{
	struct request request = { 0 };
	int status;
	int first = arguments_read("help", argc, argv, ARGUMENTS({ options, &request }), &status);

	if (first < 0)
		return status;
	if (!request.page && !request.shell)
		return help_topic(argv[first]);
	status = request.page ? help_page(request.page) : 0;
	return status || !request.shell ? status : help_completion(request.shell);
}
