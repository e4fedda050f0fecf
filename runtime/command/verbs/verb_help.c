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

static int take(int key, const char *text, char *line, size_t bytes, void *context)
{
	struct request *request = context;

	if (key == OPTION_MAN)
		request->page = text;
	else if (key == OPTION_COMPLETION)
		request->shell = text;
	else
		return arguments_take_none(key, text, line, bytes, context);
	return 0;
}

int verb_help(int argc, char **argv)
{
	struct request request = { 0 };
	int status;
	int first = arguments_read("help", argc, argv, take, &request, &status);

	if (first < 0)
		return status;
	if (!request.page && !request.shell)
		return help_topic(argv[first]);
	status = request.page ? help_page(request.page) : 0;
	return status || !request.shell ? status : help_completion(request.shell);
}
