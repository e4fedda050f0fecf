/*
 * Reads the functions of interpreters and their texts from a spool (runtime/spool/format_code.h).
 */
#ifndef RUNTIME_FOLD_SPOOL_SPOOL_CODES_H
#define RUNTIME_FOLD_SPOOL_SPOOL_CODES_H

#include <stddef.h>

#include "runtime/spool/format_code.h"

struct spool_check;

struct spool_codes {
	struct spool_code *code; /* of number 1 first */
	size_t count;
	char *texts; /* followed by a NUL; NULL: no texts */
	size_t text_bytes;
};

/* Read all functions.  The texts of each lie within the bounds and within `texts`, or are empty.  A
 * live writer publishes a function before the nodes that name it, so the nodes must have been read
 * before.  Returns 0 or -ENOMEM; in both cases the caller frees the two lists. */
int spool_codes_read(struct spool_check *check, struct spool_codes *codes);

#endif
