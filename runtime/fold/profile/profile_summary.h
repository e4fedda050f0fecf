/*
 * Sums over the spools of a profile: processes, how they ended, and losses.
 */
#ifndef RUNTIME_FOLD_PROFILE_PROFILE_SUMMARY_H
#define RUNTIME_FOLD_PROFILE_PROFILE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/spool/format.h"

struct spool_read;

/* Sums over all spools read. */
struct profile_summary {
	unsigned spools;
	unsigned processes; /* distinct pids with their start times */
	unsigned running;   /* processes that still run */
	unsigned killed;    /* processes that ended without marking their spool as finished */
	unsigned threads;
	uint64_t count[SPOOL_COUNTS_NUMBER]; /* of threads and processes */
	uint64_t lost;		    /* all SPOOL_COUNT_LOST_*: samples that no stack carries */
	uint64_t cpu_ns;	    /* CPU time of the processes whose end was recorded */
	uint64_t cpu_handler_ns;    /* the part of cpu_ns that the handler took */
	uint64_t start_realtime_ns; /* of the first process, since 1970 */
	uint64_t wall_ns;	    /* first start to last end */
	uint32_t engines;	    /* bit 1 << enum spool_engine for each seen */
	unsigned damaged;	    /* spools of which a part could not be read */
	bool foreign;		    /* a spool belongs to another user */
};

/* Add a spool.  `known`: another spool of the same process was added before. */
void profile_summary_add(struct profile_summary *summary, const struct spool_read *spool,
			 bool known);

/* Add the state of the process of a spool in the file `path`: it may still run, or may have been
 * killed.  Reads /proc. */
void profile_summary_add_state(struct profile_summary *summary, const char *path,
			       const struct spool_header *header);

#endif
