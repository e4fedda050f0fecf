/*
 * The JSON text of a page's data: everything but the columns.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_HEAD_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_HEAD_H

#include <stdio.h>

struct viewer_columns;
struct viewer_data;

/* Write the title of the page: the command, or "flametrap" where it is not known; at most `bytes`
 * with its NUL. */
void viewer_head_title(const struct viewer_data *data, char *text, size_t bytes);

/* Write the JSON text.  It is valid UTF-8, whatever bytes the names hold.  Errors are those of the
 * file: ferror(). */
void viewer_head_write(const struct viewer_data *data, const struct viewer_columns *columns,
		       FILE *file);

#endif
