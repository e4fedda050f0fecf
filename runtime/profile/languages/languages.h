/*
 * What readers know of each interpreted language: one table, language_NAME, for each row of
 * SPOOL_LANGUAGES, in a file of its own.
 */
#ifndef RUNTIME_PROFILE_LANGUAGES_LANGUAGES_H
#define RUNTIME_PROFILE_LANGUAGES_LANGUAGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format_code.h"

/* A part of a text, not terminated. */
struct part {
	const char *text;
	size_t bytes;
};

/* Lists of texts end with NULL.  Except the first four, a member may be NULL. */
struct language {
	const char *name;    /* how the names of its executables begin */
	const char *mapping; /* stands for its functions among the modules */
	/* Native functions by which the interpreter runs functions, see languages_frame(): names
	 * with blanks between them.  A name has at most one `*`, which stands for any text.  The
	 * lists hold for all versions that are sampled, so some names exist only in some of them.
	 */
	const char *always;
	const char *between;
	/* How the names of code begin that it makes for each function, to call its loop from it. */
	const char *trampoline;
	const char *const *scripts; /* names of a script's own lines, which are no function */
	const char *nameless;	    /* the name of a function of a file, if it has none */
	/* Returns the name of a function from its own and from the one with its classes. */
	struct part (*choose)(struct part name, struct part qualified);
	/* Returns the name of the module that a file is; a function has it before its name.  Free
	 * with free().  NULL when memory is out. */
	char *(*module)(struct part path);
	const char *const *importers; /* files whose functions load modules */
	const char *variable;	      /* set to 1, it asks the interpreter to name its functions for
					 profilers */
	/* Returns whether the interpreter, by its file's name, knows that variable. */
	bool (*names_functions)(const char *base);
};

#define LANGUAGES_TABLE(id, number, name) extern const struct language language_##name;
SPOOL_LANGUAGES(LANGUAGES_TABLE)

/* Returns the language of a number in a spool, or NULL. */
const struct language *languages_find(uint32_t number);

/* Returns each language; NULL behind the last. */
const struct language *languages_each(size_t i);

/* The functions by which an interpreter runs functions: its loop, and the calls between the loop
 * and a function.  They say nothing about the program, and everything passes through them. */
enum languages_frame {
	LANGUAGES_FRAME_NONE,	 /* does something of its own, such as sorting */
	LANGUAGES_FRAME_BETWEEN, /* only passes a call on, where it leads to a function of the
				      program */
	LANGUAGES_FRAME_ALWAYS,	 /* runs the program's functions; its own time is theirs */
};

/* Returns what a function of an interpreter is.  `name` is its name in a stack, maybe with an
 * ending that the compiler added. */
enum languages_frame languages_frame(enum spool_language language, const char *name);

/* Returns whether a part is a text. */
bool part_is(struct part part, const char *text);

/* Take the last component of a path away from it. */
struct part part_take_last(struct part *path);

/* Returns the last component of a path. */
struct part part_base(struct part path);

#endif
