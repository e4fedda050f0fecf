/*
 * The log of one thread: what goes into its tree, with the time (runtime/spool/format_log.h).  Each
 * tree_weigh() has an entry of the same node, counter, samples and events, so the sum over all
 * entries is the tree, but for what LOG_DROPPED counts and what thinning moves to other nodes.
 *
 * One writer at a time: the thread's handler, or whoever holds the thread (thread_hold); for the
 * logs of ended threads, the holder of the session's lock.
 */
#ifndef RUNTIME_SAMPLE_LOG_LOG_H
#define RUNTIME_SAMPLE_LOG_LOG_H

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

/* What the writer of a log knows of it, private to the process. */
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

/* Start an empty log for a slot.  Writes nothing if the spool has no timeline.  `labels` outlives
 * the log; NULL: it has the entries of ended threads.  Context: thread (the handler that will use
 * it is not armed yet). */
void log_start(struct log *log, struct spool_alloc *spool, struct spool_thread *slot,
	       const struct labels *labels);

/* For log_add() only: any entry. */
void log_add_any(struct log *log, const struct log_sample *sample);

/* True for an ordinary sample of a log whose chunk takes it with nothing before it. */
static inline bool log_adds_one(const struct log *log, const struct log_sample *sample)
{
	return !sample->member && log->chunk && log->write.count < log->full &&
	       log_write_reaches(&log->write, sample->time_ns) && log_write_is_short(sample) &&
	       log->labels &&
	       log_write_carries(&log->write, labels_now(log->labels), &log->labels->trace);
}

/* Add an entry.  One without samples and events is left out.  What finds no room is counted as
 * LOG_DROPPED.  Context: signal, exit. */
static inline void log_add(struct log *log, const struct log_sample *sample)
{
	if (!log_adds_one(log, sample)) {
		log_add_any(log, sample);
		return;
	}
	log->dropping = false;
	log_write_short(&log->write, sample);
	atomic_store_explicit(&log->chunk->count, log->write.count, memory_order_release);
}

/* Say what the next entries of a log of ended threads carry.  Context: thread. */
void log_carry(struct log *log, const struct log_context *context);

/* Add a mark.  Context: signal, exit. */
void log_mark(struct log *log, enum spool_mark mark, uint64_t time_ns, uint64_t value);

/* Note whether a sample at time_ns is outside the sampling window.  Marks where that began or
 * ended.  Context: signal, exit. */
void log_window_changed(struct log *log, uint64_t time_ns, bool paused);

static inline void log_window(struct log *log, uint64_t time_ns, bool paused)
{
	if (!log->seen || log->paused != paused)
		log_window_changed(log, time_ns, paused);
}

/* Add the entry that ends the thread's log.  Context: thread, after its last sample. */
void log_end(struct log *log, uint64_t time_ns);

/* The list of the chunks of a log, by levels: log_list.c, log_thin.c. */

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

/*
 * Marks of what happens to the whole process, in a list of their own: forks, exec, and objects that
 * are loaded and unloaded.
 */

/* Begin with the empty list of a new spool, whose header is complete.  Adds nothing if it has no
 * timeline.  Context: init, fork child. */
void process_marks_start(struct spool_alloc *spool);

/* Add no more marks.  Context: fork child. */
void process_marks_stop(void);

/* Add a mark of the calling thread, now.  It is left out if another thread is adding one, or if
 * there are too many.  Context: any. */
void process_marks_add(enum spool_mark mark, uint64_t value);

#endif
