/*
 * Writes the content of an output file, in each of the formats.
 */
#ifndef RUNTIME_OUTPUT_FORMAT_WRITERS_H
#define RUNTIME_OUTPUT_FORMAT_WRITERS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/settings/settings.h"

struct frame_tree;
struct profile;

#define FORMAT_CONTENT_ALL UINT_MAX

/* One counter, or all if the format has room for them. */
struct format_content {
	struct profile *profile;
	enum settings_weight weight;
	uint64_t page_bytes;	 /* limit of a page: see viewer_write() */
	unsigned counter;	 /* FORMAT_CONTENT_ALL: all of them */
	bool wall;		 /* instead of a counter */
	struct frame_tree *tree; /* of the counter, or of `wall`; unused for FORMAT_CONTENT_ALL */
};

/* Returns what a format needs and the profile lacks, as the end of a line about its file; NULL if
 * it lacks nothing. */
const char *format_missing(const struct profile *profile, unsigned format);

/* Write in one SETTINGS_FORMAT_*.  Returns 0 or -errno. */
int format_write(const struct format_content *content, unsigned format, FILE *file);

#endif
