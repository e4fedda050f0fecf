/*
 * The manuals of all verbs.  `flametrap help`, `flametrap VERB --help`, the manual pages and the
 * shell completion are made from them, and arguments.h reads the options by them.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_MANUAL_H
#define RUNTIME_COMMAND_OPTIONS_MANUAL_H

#include <stddef.h>

#include "runtime/command/options/manual_tables.h"

/* All verbs, in the order of the help. */
extern const struct manual *const manual_verbs[];
extern const size_t manual_verb_count;

/* Returns the manual of a verb; NULL if there is none with that name.  Context: any. */
const struct manual *manual_find(const char *verb);

/* Returns the letter of an option; 0 if it has none. */
char manual_letter(const struct manual_option *option);

/* Returns true if the option's argument may be left out, and takes =. */
bool manual_is_optional(const struct manual_option *option);

/* Row in settings_table of an option that manual_options made of it, by its key.  Context: any. */
size_t manual_setting(int key);

/* Fill `rows` with every option that a verb takes, --help last.  The texts live until the next
 * call.  Returns their number, at most MANUAL_ROWS_MAX; aborts if they are more.  Context: one
 * thread. */
size_t manual_options(const struct manual *manual, struct manual_option *rows);

#endif
