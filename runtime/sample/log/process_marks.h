/*
 * Marks of what happens to the whole process, in a list of their own: forks, exec, and objects that
 * are loaded and unloaded.
 */
#ifndef RUNTIME_SAMPLE_LOG_PROCESS_MARKS_H
#define RUNTIME_SAMPLE_LOG_PROCESS_MARKS_H

#include <stdint.h>

#include "runtime/spool/format_log.h"

struct spool_alloc;

/* Begin with the empty list of a new spool, whose header is complete.  Adds nothing if it has no
 * timeline.  Context: init, fork child. */
void process_marks_start(struct spool_alloc *spool);

/* Add no more marks.  Context: fork child. */
void process_marks_stop(void);

/* Add a mark of the calling thread, now.  It is left out if another thread is adding one, or if
 * there are too many.  Context: any. */
void process_marks_add(enum spool_mark mark, uint64_t value);

#endif
