/*
 * Everything is printed from tables.
 */
#include "runtime/command/options/help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config/settings/table.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual_text.h"
#include "runtime/command/options/suggestions.h"

int help_version(void)
{
	puts("flametrap " FLAMETRAP_VERSION);
	return status_line_flushed();
}

/* Topics precede verbs: `events` is both, and its verb has `flametrap events --help`. */
static bool print_topic(const char *topic)
{
	const struct manual *manual = manual_find(topic);

	if (strcmp(topic, "settings") == 0)
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

int help_verb(const struct manual *manual)
{
	manual_print_verb(manual);
	return status_line_flushed();
}

int help_topic(const char *topic)
{
	if (!topic)
		manual_print_overview();
	else if (!print_topic(topic)) {
		const char *answer;
		const char *near = suggestions_nearest_verb(topic, &answer);

		if (answer) {
			status_line("no help on %.60s: %s is not a verb: %s", topic, near, answer);
			return 2;
		}
		status_line("no help on %.60s%s%s; topics: settings, events, and the verbs that "
			    "flametrap "
			    "help lists",
			    topic, near ? ", nearest: " : "", near ? near : "");
		return 2;
	}
	return status_line_flushed();
}

int help_page(const char *page)
{
	if (!manual_print_page(page))
		return status_line_flushed();
	status_line("no manual page %.60s; flametrap help --man list names all", page);
	return 2;
}

int help_completion(const char *shell)
{
	if (!manual_print_completion(shell))
		return status_line_flushed();
	status_line("no completion for %.60s; there is one for bash, zsh and fish", shell);
	return 2;
}
