/*
 * The line of a place in an interpreted function, from the table that its compiler made.  A table
 * is untrusted input.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_CODE_LINES_H
#define RUNTIME_PROFILE_SYMBOLS_CODE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format_code.h"

/* Returns the line of a place, the function's first line if the table has none for it, or 0 if even
 * that is not known.  `table` is not read beyond `bytes`. */
uint32_t code_lines_find(const struct spool_code *code, const char *table, size_t bytes,
			 uint32_t place);

#endif
