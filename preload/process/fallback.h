/*
 * Folded stacks without the command.  Names come from the dynamic symbol tables only.
 */
#ifndef PRELOAD_PROCESS_FALLBACK_H
#define PRELOAD_PROCESS_FALLBACK_H

#include <stdbool.h>

struct spool_alloc;

/* Write STEM.folded from the spool of this process, or STEM.COUNTER.folded if there are several
 * counters. If `orderly`, dladdr(3) may be called; otherwise frames are named by module and offset.
 * Returns 0 or -errno.  Context: thread, sampling stopped. */
int fallback_write(const struct spool_alloc *spool, bool orderly);

#endif
