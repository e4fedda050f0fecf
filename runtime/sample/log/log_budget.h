/*
 * The chunks of all logs of the process, which header.timeline_bytes limits.  A log that has less
 * than its share may exceed the limit by a quarter, until the others have given theirs back.  Those
 * of ended threads get at most half, or three quarters where each has one chunk.
 */
#ifndef RUNTIME_SAMPLE_LOG_LOG_BUDGET_H
#define RUNTIME_SAMPLE_LOG_LOG_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct spool_alloc;
struct spool_chunk;

/* Begin to count for a new spool, whose header is complete.  Context: init, fork child. */
void log_budget_start(struct spool_alloc *spool);

/* The spool became smaller, and so does the limit, but for what the logs have: stacks keep their
 * part of the room.  Context: thread, after log_budget_start(). */
void log_budget_shrink(void);

/* Take an empty chunk of kind LOG for a log that has `own`, of ended threads or not.  NULL: it may
 * not have more, or the spool is full.  Context: any; likewise the others. */
struct spool_chunk *log_budget_take(uint32_t own, bool ended);

/* Take a chunk in which others are joined, which are then given back.  NULL: the spool is full. */
struct spool_chunk *log_budget_take_spare(bool ended);

/* Give back a chunk that no list has any more. */
void log_budget_give(struct spool_chunk *chunk, bool ended);

/* True if all logs have too much, and one that has `own` more than its share. */
bool log_budget_is_over(uint32_t own);

/* True if the logs of ended threads have all that they may have: half of the limit, or an eighth
 * while all logs have too much. */
bool log_budget_ended_is_full(void);

/* Count a log that gets its first chunk (1), or one that loses its last (-1). */
void log_budget_count_logs(int more);

#endif
