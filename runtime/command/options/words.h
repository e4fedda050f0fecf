/*
 * Words that people bring along from other profilers, and what is said here instead; and the
 * verb or option that somebody may have meant.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_WORDS_H
#define RUNTIME_COMMAND_OPTIONS_WORDS_H

struct manual;

/* What to do instead of a verb of another profiler ("record"), as a sentence without its end.
 * Returns NULL if the word is none.  Context: any. */
const char *words_verb(const char *word);

/* The same for an option as it was given ("-p", "--pid=12"), where a command is to be run. */
const char *words_option(const char *option);

/* The verb that a word is a misspelling or a beginning of; NULL if none is near.  Where a verb of
 * another profiler is nearer than all of ours it is that, and `answer` says what words_verb says of
 * it; else `answer` is NULL.  Context: any. */
const char *words_nearest_verb(const char *word, const char **answer);

/* The long option of a verb, without its dashes, that an unknown one ("--freqency=9") is near; NULL
 * if none is; `answer` as above.  It lives until the next call of manual_options.
 * Context: one thread. */
const char *words_nearest_option(const struct manual *manual, const char *option,
				 const char **answer);

#endif
