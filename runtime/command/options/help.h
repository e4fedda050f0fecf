/*
 * Help and version of the command, on standard output.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_HELP_H
#define RUNTIME_COMMAND_OPTIONS_HELP_H

struct manual;

/* Print a topic: a verb, "settings", "events", "markdown", or NULL for an overview.  Returns the
 * exit status: 0; 1 if it could not be written; 2 for an unknown topic. */
int help_topic(const char *topic);

/* Print the text of VERB --help.  Returns the exit status. */
int help_verb(const struct manual *manual);

/* Print a manual page ("flametrap-report.1"), or with "list" the names of all; or the completion of
 * a shell ("bash").  Returns the exit status: 0; 1 if it could not be written; 2 if there is none
 * with that name. */
int help_page(const char *page);
int help_completion(const char *shell);

/* Print the version.  Returns the exit status. */
int help_version(void);

#endif
