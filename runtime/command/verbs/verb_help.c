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
