/*
 * The common part of the shells' completion scripts.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_MANUAL_SHELL_H
#define RUNTIME_COMMAND_OPTIONS_MANUAL_SHELL_H

#include "runtime/command/options/manual_text.h"

/* Print the script of one shell on standard output. */
void manual_print_bash(void);
void manual_print_zsh(void);
void manual_print_fish(void);

/* Returns whether `words` is the given kind of argument, for example MANUAL_FILE. */
bool manual_is_kind(const char *words, const char *kind);

/* What a shell does for a kind of argument; a list of them ends with a NULL kind. */
struct manual_action {
	const char *kind;
	const char *text;
};

/* Print the action of the kind that `words` is.  Returns false if it is none of them. */
bool manual_print_action(const struct manual_action *actions, const char *words);

/* Call `print` for the command without a verb, with an empty name, and then for each verb. */
void manual_each(void (*print)(const struct manual *manual));

/* Print every spelling of the options of a run that take the next word as their value. */
void manual_print_valued(const char *separator);

/* Print the names of the verbs, or of the events that -e knows, with blanks between these. */
void manual_print_verbs(const char *separator);
void manual_print_event_names(void);

/* Print text inside single quotes, each byte of `special` behind a backslash. */
void manual_print_quoted(const char *text, const char *special);

#endif
