/*
 * What the writer of a log knows of it, private to the process, and the list of its chunks, by
 * levels.
 */
#ifndef RUNTIME_SAMPLE_LOG_LOG_LIST_H
#define RUNTIME_SAMPLE_LOG_LOG_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/labels/labels.h"
#include "runtime/sample/log/log_write.h"
#include "runtime/spool/format_log.h"

struct spool_alloc;

/* Adjacent chunks that were joined equally often.  A new chunk is of level 0, and two chunks that
 * are joined become one of the next level.  In the list, higher levels come first.  Chunks are
 * named by their number in the file. */
struct log_level {
	uint32_t first;
	uint32_t last;
	uint32_t chunks; /* 0: the others have no meaning */
};

#define LOG_LEVELS 20 /* the last one has all that were joined more often */

struct log {
	struct spool_alloc *spool;   /* NULL: there is no timeline */
	struct spool_thread *slot;   /* in the spool: where the log begins */
	const struct labels *labels; /* of the thread; NULL: a log of ended threads */
	struct spool_chunk *chunk;   /* being filled; NULL: none yet */
	struct log_write write;	     /* its entries */
	uint32_t full;		     /* number of them from which on no sample begins there */
	bool dropping;		     /* the last sample found no room: nor do its members */
	bool seen;		     /* a sample was seen, so `paused` is known */
	bool paused;		     /* the last one was outside FLAMETRAP_START and _STOP */
	struct log_context carried;  /* by the next entry, in a log of ended threads */
	uint64_t random;	     /* state of the numbers that thinning draws */
	uint32_t chunks;	     /* of all levels */
	struct log_level level[LOG_LEVELS];
};

/* Chunks that are to become one. */
struct log_pair {
	unsigned level[2];	    /* of the chunks */
	struct spool_chunk *old[2]; /* the first of their levels; the second one: NULL: there is
				       only one */
};

/* Append a chunk that is ready to be read.  Context: the writer of the log; likewise the others. */
void log_list_append(struct log *log, struct spool_chunk *chunk);

/* Choose the chunks that are joined next: adjacent ones of the lowest level, except that the newer
 * half of the log stays as it is.  Returns false if the log is empty. */
bool log_list_choose(const struct log *log, struct log_pair *pair);

/* Put a chunk in place of the chosen ones, which are given back.  If it is the last one of the
 * list, it becomes the one being filled, and the caller sets log->write. */
void log_list_replace(struct log *log, const struct log_pair *pair, struct spool_chunk *chunk);

/* Returns the oldest chunk; NULL: none. */
struct spool_chunk *log_list_first(const struct log *log);

/* Take the oldest chunk, which exists, out of the list and give it back. */
void log_list_drop_first(struct log *log);

/* Join two adjacent chunks of a log into one, or halve its only one.  Samples that were joined with
 * others are counted as LOG_THINNED.  Returns false if there is no chunk, or no room to join them
 * in.  Context: the writer of the log; signal, exit. */
bool log_thin(struct log *log);

#endif
