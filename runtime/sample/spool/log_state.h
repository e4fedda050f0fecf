/*
 * What the writer of a log knows of it.  It is private to the process.
 */
#ifndef RUNTIME_SAMPLE_SPOOL_LOG_STATE_H
#define RUNTIME_SAMPLE_SPOOL_LOG_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/spool/labels.h"
#include "runtime/spool/format_log.h"

struct spool_alloc;

/* Who made the entries that follow, and what they carry: what each chunk begins with. */
struct log_context {
	uint32_t tid;
	uint64_t start_ns;
	uint32_t labels;
	struct labels_trace trace;
};

struct log {
	struct spool_alloc *spool;	 /* NULL: there is no timeline */
	struct spool_thread *slot;	 /* in the spool: where the log begins */
	const struct labels *labels;	 /* of the thread; NULL: a log of ended threads */
	struct spool_chunk *chunk;	 /* being filled; NULL: none yet */
	struct spool_log_entry *entries; /* of the chunk */
	uint64_t base_ns;		 /* of the chunk */
	uint32_t count;			 /* entries in the chunk */
	uint32_t full;			 /* number of them from which on no sample begins there */
	bool dropping;			 /* the last sample found no room: nor do its members */
	bool seen;			 /* a sample was seen, so `paused` is known */
	bool paused;			 /* the last one was outside FLAMETRAP_START and _STOP */
	struct log_context context;	 /* as the last entries of the chunk say */
	struct log_context carried;	 /* by the next entry, in a log of ended threads */
};

#endif
