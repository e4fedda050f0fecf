/*
 * Every distinct text once: a small number stands for it, so that frames are compared and
 * stored as numbers.
 */
#ifndef RUNTIME_FOLD_BASE_STRING_TABLE_H
#define RUNTIME_FOLD_BASE_STRING_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct string_table;

/* NULL when memory is out.  Free with string_table_free. */
struct string_table *string_table_new(void);
void string_table_free(struct string_table *strings);

/* The number of a text of `length` bytes, which is copied when it is new; numbers count up
 * from 1.  Returns 0 when memory is out. */
uint32_t string_table_intern(struct string_table *strings, const char *text, size_t length);

/* The NUL-terminated text of a number; owned by the table. */
const char *string_table_text(const struct string_table *strings, uint32_t number);

/* Its length; 0 for a number that was not given out. */
size_t string_table_length(const struct string_table *strings, uint32_t number);

/* How many numbers were given out. */
uint32_t string_table_count(const struct string_table *strings);

#endif
