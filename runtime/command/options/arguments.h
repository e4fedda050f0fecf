/* The options and operands of a verb, read by its table in manual.h. */
#ifndef RUNTIME_COMMAND_OPTIONS_ARGUMENTS_H
#define RUNTIME_COMMAND_OPTIONS_ARGUMENTS_H

#include <stddef.h>

#include "runtime/command/options/manual.h"

/* The structs that the groups of a verb's options fill, in the order of the manual; that of the
 * settings comes first. */
#define ARGUMENTS(...) ((void *const[MANUAL_GROUPS + 1]){ __VA_ARGS__ })

/* Read the options into `filled`, in any position but for a verb that takes settings, whose options
 * end at COMMAND; and count the operands, which argv ends with afterwards.  --help prints the
 * verb's help.  Returns the index of the first operand, argc if there is none; or -1 with the exit
 * status in *status after help, or after a message about wrong usage, for which *status stays as it
 * is. */
int arguments_read(const struct manual *manual, int argc, char **argv, void *const *filled,
		   int *status);

/* Check the number of operands of a verb.  Returns 0; or -EINVAL after a message.  Context: only
 * for a manual with `operand`; for others arguments_read() does it. */
int arguments_check_count(const struct manual *manual, size_t count);

/* Read the options of run, or of watch, whose manual it is, up to COMMAND; argv[0] is skipped.  The
 * last of two equal options counts.  Values are not checked.  Returns the index of COMMAND in argv,
 * argc if there is none; or -1 with the exit status in *status after help, the version, or a
 * message about wrong usage, for which *status stays as it is. */
int arguments_read_run(struct options *options, const struct manual *manual, int argc, char **argv,
		       int *status);

/* For an unknown word: words of other profilers have an answer that is printed for them, and others
 * are near a verb or an option.  Returns the replacement for a verb of another profiler ("record"),
 * as a sentence without its end; NULL if the word is no such verb.  Context: any. */
const char *suggestions_verb(const char *word);

/* Like suggestions_verb(), for an option as it was given ("-p", "--pid=12"), where a command is to
 * be run. */
const char *suggestions_option(const char *option);

/* Returns the verb that a word is a misspelling or a beginning of; NULL if none is near.  If a verb
 * of another profiler is nearer than all of ours, returns that verb, with the result of
 * suggestions_verb() in `answer`; otherwise `answer` is NULL.  Context: any. */
const char *suggestions_nearest_verb(const char *word, const char **answer);

/* Returns the long option of a verb, without its dashes, that is near an unknown one
 * ("--freqency=9"); NULL if none is; `answer` as above.  It lives until the next call of
 * manual_options().  Context: one thread. */
const char *suggestions_nearest_option(const struct manual *manual, const char *option,
				       const char **answer);

#endif
