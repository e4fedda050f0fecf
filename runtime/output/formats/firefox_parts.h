/*
 * The parts of a Firefox profile: firefox.c has the whole and its threads, firefox_tables.c what
 * threads share, firefox_samples.c and firefox_markers.c the two tables of a thread.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_FIREFOX_PARTS_H
#define RUNTIME_OUTPUT_FORMATS_FIREFOX_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/base/json.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/output/formats/timed.h"

/* Indices of the list of categories. */
enum firefox_category {
	FIREFOX_OTHER,
	FIREFOX_USER,
	FIREFOX_KERNEL,
	FIREFOX_JIT,
	FIREFOX_INTERP,
	FIREFOX_OFF_CPU,
	FIREFOX_CATEGORIES
};

struct firefox {
	struct timed timed;
	struct timed_span *spans;
	size_t span_count;
	size_t *marks;	    /* indices of the timeline's, sorted by the track that shows them */
	size_t *first_mark; /* by track: its first place in `marks` */
	struct string_table strings; /* of the file: an index is a number - 1 */
	struct firefox_function *functions;
	uint32_t function_count;
	uint32_t *function_of;	     /* by frame */
	struct string_table sources; /* paths; an index is a number - 1 */
	struct json json;
	int err;
};

struct firefox_function {
	uint32_t name; /* index of a string */
	uint32_t mapping;
	uint32_t source; /* number of a source; 0: none */
	uint32_t start_line;
};

/* Returns the index of a text in the file's strings; without memory 0, and sets firefox->err. */
uint32_t firefox_string(struct firefox *firefox, const char *text, size_t bytes);

/* Write the schemas of the markers. */
void firefox_write_schemas(struct firefox *firefox);

/* Make the functions of all frames.  Returns 0 or -ENOMEM. */
int firefox_make_functions(struct firefox *firefox);

/* Write the libraries; stacks, frames, functions, and the strings that everything refers to. */
void firefox_write_libraries(struct firefox *firefox);
void firefox_write_shared(struct firefox *firefox);

/* Sort the marks by track: a process's go to its first track.  Returns 0 or -ENOMEM. */
int firefox_make_marks(struct firefox *firefox);

/* Write the samples of a track and counter. */
void firefox_write_samples(struct firefox *firefox, uint32_t track, unsigned counter);

/* Write the markers of a track. */
void firefox_write_markers(struct firefox *firefox, uint32_t track);

#endif
