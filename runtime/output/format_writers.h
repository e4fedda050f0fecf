/*
 * The output formats, with their writers.  Sets of formats have the numbers of their rows, or-ed.
 */
#ifndef RUNTIME_OUTPUT_FORMAT_WRITERS_H
#define RUNTIME_OUTPUT_FORMAT_WRITERS_H

#include "runtime/output/formats/format_content.h"

struct format {
	const char *name;
	const char *ending; /* of a file, without a dot: "pb.gz" */
	unsigned number;
	unsigned facts; /* FORMAT_* */
	format_writer *write;
};

/* Returns the format of a set of one. */
const struct format *format_find(unsigned set);

/* Returns all formats with any of some facts. */
unsigned format_set(unsigned facts);

/* Write the names of a set: "a, b and c". */
void format_names(unsigned set, char *text, size_t bytes);

/* Returns what a format needs and the profile lacks, as the end of a line about its file; NULL if
 * it lacks nothing. */
const char *format_missing(const struct profile *profile, unsigned format);

#endif
