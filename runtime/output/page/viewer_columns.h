/*
 * The columns of a page: arrays of numbers, in the order in which they lie in the data.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_COLUMNS_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

struct gzip;
struct json;
struct viewer_data;

enum viewer_column_kind {
	VIEWER_NODE_PARENT,
	VIEWER_NODE_NAME,
	VIEWER_NODE_MODULE,
	VIEWER_NODE_WAIT,
	VIEWER_LINE_FILE,
	VIEWER_LINE_NUMBER,
	VIEWER_TIME,
	VIEWER_NODE,
	VIEWER_TRACK,
	VIEWER_COUNTER,
	VIEWER_SAMPLES,
	VIEWER_EVENTS,
	VIEWER_LABELS,
	VIEWER_LINE,
	VIEWER_INSTRUCTION,
	VIEWER_COLUMNS
};

struct viewer_column {
	enum viewer_column_kind kind;
	const char *type; /* as in viewer_data.h */
	unsigned bytes;	  /* of a value */
	size_t count;
	uint64_t offset; /* a multiple of 8 */
};

struct viewer_columns {
	struct viewer_column column[VIEWER_COLUMNS];
	unsigned count;
};

/* Choose the columns that hold more than zeros, with their types and places. */
void viewer_columns_make(struct viewer_columns *columns, struct viewer_data *data);

/* Write the member "columns" of the page's JSON object. */
void viewer_columns_json(const struct viewer_columns *columns, struct json *json);

/* Write the columns, with zeros up to the place of each. */
void viewer_columns_write(const struct viewer_columns *columns, struct viewer_data *data,
			  struct gzip *gzip);

#endif
