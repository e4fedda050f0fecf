/*
 * What the writers of all formats get.  Each format of config/settings/formats.h has format_NAME().
 */
#ifndef RUNTIME_OUTPUT_FORMATS_FORMAT_CONTENT_H
#define RUNTIME_OUTPUT_FORMATS_FORMAT_CONTENT_H

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
	uint64_t page_bytes;	 /* limit of a page: see viewer_data_page() */
	unsigned counter;	 /* FORMAT_CONTENT_ALL: all of them */
	bool wall;		 /* instead of a counter */
	struct frame_tree *tree; /* of the counter, or of `wall`; unused for FORMAT_CONTENT_ALL */
};

/* Write a file, in UTF-8 whatever bytes names hold (folded stacks keep them).  Returns 0; -EINVAL
 * without what the row's facts ask for in struct profile_options; -ELIBACC, -EIO or -ENOMEM. */
typedef int format_writer(const struct format_content *content, FILE *file);

#define FORMAT_WRITER(id, name, number, ending, facts) format_writer format_##name;
SETTINGS_FORMATS(FORMAT_WRITER)
#undef FORMAT_WRITER

#endif
