/*
 * Stores every distinct text once and gives it a small number, so that frames are compared and
 * stored as numbers.
 */
#ifndef RUNTIME_PROFILE_BASE_STRING_TABLE_H
#define RUNTIME_PROFILE_BASE_STRING_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/base/map.h"

/* An empty table is zeroed.  Release it with string_table_free(). */
struct string_table {
	struct map map;
	struct string_table_text *texts; /* by number - 1 */
	uint32_t count;			 /* how many numbers were given out */
	struct string_table_block *blocks;
	size_t block_left;
	uint64_t seed;
};

void string_table_free(struct string_table *strings);

/* Returns the number of a text of `length` bytes, which is copied if it is new.  Numbers count up
 * from 1.  Returns 0 when memory is out. */
uint32_t string_table_intern(struct string_table *strings, const char *text, size_t length);

/* Returns the NUL-terminated text of a number; the table owns it. */
const char *string_table_text(const struct string_table *strings, uint32_t number);

/* Returns the text's length; 0 for a number that was never given out. */
size_t string_table_length(const struct string_table *strings, uint32_t number);

#endif
