/* Reads the data of a page again, as runtime/output/page/viewer_data.h describes it. */
#ifndef TESTS_SUPPORT_PAGE_COLUMNS_H
#define TESTS_SUPPORT_PAGE_COLUMNS_H

#include "tests/support/libc.h"

struct page_columns {
	unsigned char *bytes; /* the whole, unpacked; a NUL follows */
	size_t size;
	char *json;   /* a copy of the text */
	size_t start; /* of the first column */
};

/* Unpack BASE64.  Returns false if it is not what it should be.  Free in both cases. */
bool page_columns_read(struct page_columns *page, const char *text, size_t length);
void page_columns_free(struct page_columns *page);

/* Copies the type of a column and returns how many values it has; 0, and "", if it is left out.
 * Aborts if the column does not lie within the data. */
size_t page_columns_type(const struct page_columns *page, const char *name, char type[8]);

/* Returns a value; differences are added up.  0 for a column that is left out. */
double page_columns_value(const struct page_columns *page, const char *name, size_t row);

#endif
