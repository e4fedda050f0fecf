/* Prints the manual on standard output: as help, as manual pages, as shell completion. */
#ifndef RUNTIME_COMMAND_OPTIONS_MANUAL_TEXT_H
#define RUNTIME_COMMAND_OPTIONS_MANUAL_TEXT_H

#include <stdbool.h>

#include "runtime/command/options/manual.h"

/* Print the version; an overview of all verbs; a verb's help; the names and terms of events. */
void manual_print_version(void);
void manual_print_overview(void);
void manual_print_verb(const struct manual *manual);
void manual_print_events(void);

/* Print the troff source of a page, for example "flametrap-fold.1"; "list" prints the names of all
 * pages.  Returns 0, or -ENOENT if there is no such page. */
int manual_print_page(const char *page);

/* Print the completion script of "bash", "zsh" or "fish".  Returns 0, or -ENOENT for others. */
int manual_print_completion(const char *shell);

/* Parts of the description of events, for help and its page: under a heading, rows with a syntax
 * and its meaning.  The last section has no heading. */
struct manual_section {
	const char *heading;
	const char *text; /* NULL: none */
	struct manual_row {
		const char *form;
		const char *about;
	} row[24]; /* ends with a NULL form */
};
extern const struct manual_section manual_grammar[];

/* Completion: the script of one shell, and the parts that the shells share. */
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
