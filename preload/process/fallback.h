/*
 * Folded stacks without the command: names as far as the dynamic symbol tables know them.
 */
#ifndef PRELOAD_PROCESS_FALLBACK_H
#define PRELOAD_PROCESS_FALLBACK_H

#include <stdbool.h>

/* Write STEM.folded (STEM.COUNTER.folded with several counters) from our own spool.
 * `orderly`: dladdr(3) may be called; else frames are named by module and offset.
 * Returns 0 or -errno.  Context: thread, sampling stopped. */
int fallback_write(bool orderly);

#endif
