/*
 * What the writer of a log knows of it.  It is private to the process.
 */
#ifndef RUNTIME_SAMPLE_LOG_LOG_STATE_H
#define RUNTIME_SAMPLE_LOG_LOG_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/labels/labels.h"
#include "runtime/sample/log/log_write.h"
#include "runtime/spool/format_log.h"

struct spool_alloc;

/*
 * Adjacent chunks that were joined equally often.  A new chunk is of level 0, and two chunks that
 * are joined become one of the next level.  In the list, higher levels come first.  Chunks are
 * named by their number in the file.
 */
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

#endif
