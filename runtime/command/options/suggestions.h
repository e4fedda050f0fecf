/*
 * Words of other profilers and the answer that is printed for them; and the verb or option that
 * somebody may have meant.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_SUGGESTIONS_H
#define RUNTIME_COMMAND_OPTIONS_SUGGESTIONS_H

struct manual;

/* Returns the replacement for a verb of another profiler ("record"), as a sentence without its end;
 * NULL if the word is no such verb.  Context: any. */
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
