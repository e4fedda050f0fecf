/*
 * The chunks of all logs of the process, which header.timeline_bytes limits.
 */
#ifndef RUNTIME_SAMPLE_SPOOL_LOG_BUDGET_H
#define RUNTIME_SAMPLE_SPOOL_LOG_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct spool_alloc;
struct spool_chunk;

/* Begin to count for a new spool, whose header is complete.  Context: init, fork child. */
void log_budget_start(struct spool_alloc *spool);

/* Take a chunk of kind LOG.  NULL: the logs have all they may have, or the spool is full.  Context:
 * any. */
struct spool_chunk *log_budget_take(void);

/* Give back a chunk that no list has any more.  Context: any. */
void log_budget_give(struct spool_chunk *chunk);

#endif
