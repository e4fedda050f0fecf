/* flametrap help: a topic, a manual page, or the completion of a shell. */
#include <stdbool.h>
#include <string.h>

#include "config/settings/settings.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/options/manual_text.h"

/* The requests other than a topic. */
struct request {
	const char *page;
	const char *shell;
};

static const struct manual_option help_options[] = {
	{ "man", 0, "PAGE", NULL, options_text, offsetof(struct request, page),
	  "print the source of a manual page, flametrap-fold.1 for example; list names all" },
	{ "completion", 0, "SHELL", "bash zsh fish", options_text, offsetof(struct request, shell),
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

/* Topics precede verbs: `events` is both, and its verb has `flametrap events --help`. */
static bool print_topic(const char *topic)
{
	const struct manual *manual = topic ? manual_find(topic) : NULL;

	if (!topic)
		manual_print_overview();
	else if (strcmp(topic, "settings") == 0)
		table_settings(status_line_out);
	else if (strcmp(topic, "events") == 0)
		manual_print_events();
	else if (strcmp(topic, "markdown") == 0)
		table_markdown(status_line_out);
	else if (manual)
		manual_print_verb(manual);
	else
		return false;
	return true;
}

static int help_topic(const char *topic)
{
	const char *answer, *near;

	if (print_topic(topic))
		return status_line_flushed();
	near = suggestions_nearest_verb(topic, &answer);
	if (answer)
		status_line("no help on %.60s: %s is not a verb: %s", topic, near, answer);
	else
		status_line("no help on %.60s%s%s; topics: settings, events, and the verbs that "
			    "flametrap help lists",
			    topic, near ? ", nearest: " : "", near ? near : "");
	return 2;
}

static int help_page(const char *page)
{
	if (!manual_print_page(page))
		return status_line_flushed();
	return fail(2, "no manual page %.60s; flametrap help --man list names all", page);
}

static int help_completion(const char *shell)
{
	if (!manual_print_completion(shell))
		return status_line_flushed();
	return fail(2, "no completion for %.60s; there is one for bash, zsh and fish", shell);
}

int verb_help(int argc, char **argv)
{
	struct request request = { 0 };
	int status = 2;
	int first = arguments_read(&manual_help, argc, argv, ARGUMENTS(&request), &status);

	if (first < 0)
		return status;
	if (!request.page && !request.shell)
		return help_topic(argv[first]);
	status = request.page ? help_page(request.page) : 0;
	return status || !request.shell ? status : help_completion(request.shell);
}
