/* A spool in a new folder of its own, for tests of what writes to it; unit_teardown() removes it.
 */
#ifndef TESTS_SUPPORT_SPOOL_OWN_H
#define TESTS_SUPPORT_SPOOL_OWN_H

#include <stdint.h>

#include "runtime/sample/store/spool_alloc.h"

extern struct spool_alloc spool_own;

/* Make it, when memory can be read.  Returns 0, or -1 with nothing made. */
int spool_own_open(uint64_t bytes);

/* Remove it with its folder, in which nothing else may be.  Returns 0 or -1. */
int spool_own_close(void);

/* The number of entries in the list of chunks of a kind at `first`, and each of them, where all
 * chunks but the last one are full. */
uint64_t spool_own_count(uint64_t first, enum spool_chunk_kind kind);
const void *spool_own_entry(uint64_t first, uint64_t number, size_t bytes);

#endif
