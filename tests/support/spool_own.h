/* A spool in a new folder of its own, for tests of what writes to it. */
#ifndef TESTS_SUPPORT_SPOOL_OWN_H
#define TESTS_SUPPORT_SPOOL_OWN_H

#include <stdint.h>

#include "runtime/sample/store/spool_alloc.h"

/* Make it; `spool` is overwritten.  Returns 0, or -1 with nothing made. */
int spool_own_open(struct spool_alloc *spool, uint64_t bytes);

/* Remove it with its folder, in which nothing else may be.  Returns 0 or -1. */
int spool_own_close(struct spool_alloc *spool);

#endif
