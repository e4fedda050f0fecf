/*
 * The data of a page while it is made: what its writers share, the JSON text (viewer_head.c) and
 * the columns.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_PARTS_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "config/settings/settings.h"
#include "runtime/output/page/viewer_lines.h"
#include "runtime/output/page/viewer_nodes.h"
#include "runtime/output/page/viewer_samples.h"

#define VIEWER_COLUMNS_MAX 15

struct gzip;
struct json;
struct profile;
struct viewer_code;

struct viewer_data {
	const struct profile *profile;
	enum settings_weight weight;
	struct viewer_samples samples;
	struct viewer_nodes nodes;
	struct viewer_lines lines;
	struct viewer_code *code; /* NULL: none */
	uint64_t end_ns;	  /* of the axis */
	unsigned shift;		  /* the unit of times is 1 << shift ns */
};

/* Returns a time of the timeline in the page's unit. */
static inline uint32_t viewer_parts_time(const struct viewer_data *data, uint64_t time_ns)
{
	uint64_t time = time_ns >> data->shift;

	return time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
}

/* Arrays of numbers, in the order in which they lie in the data. */
struct viewer_column {
	unsigned kind;	  /* which one, as viewer_columns.c lists them */
	const char *type; /* as in viewer_data.h */
	unsigned bytes;	  /* of a value */
	size_t count;
	uint64_t offset; /* a multiple of 8 */
};

struct viewer_columns {
	struct viewer_column column[VIEWER_COLUMNS_MAX];
	unsigned count;
};

/* Choose the columns that hold more than zeros, with their types and places. */
void viewer_columns_make(struct viewer_columns *columns, struct viewer_data *data);

/* Write the member "columns" of the page's JSON object. */
void viewer_columns_json(const struct viewer_columns *columns, struct json *json);

/* Write the columns, with zeros up to the place of each. */
void viewer_columns_write(const struct viewer_columns *columns, struct viewer_data *data,
			  struct gzip *gzip);

/* Write the title of the page: the command, or "flametrap" where it is not known; at most `bytes`
 * with its NUL. */
void viewer_head_title(const struct viewer_data *data, char *text, size_t bytes);

/* Write the JSON text.  It is valid UTF-8, whatever bytes the names hold.  Errors are those of the
 * file: ferror(). */
void viewer_head_write(const struct viewer_data *data, const struct viewer_columns *columns,
		       FILE *file);

#endif
