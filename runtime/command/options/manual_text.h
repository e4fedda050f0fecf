/* Prints the manual on standard output: as help, as manual pages, as shell completion. */
#ifndef RUNTIME_COMMAND_OPTIONS_MANUAL_TEXT_H
#define RUNTIME_COMMAND_OPTIONS_MANUAL_TEXT_H

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

#endif
