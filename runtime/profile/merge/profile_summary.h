/* Sums over the spools of a profile: processes, how they ended, and what is missing. */
#ifndef RUNTIME_PROFILE_MERGE_PROFILE_SUMMARY_H
#define RUNTIME_PROFILE_MERGE_PROFILE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/base/map.h"
#include "runtime/spool/format.h"

struct spool_read;

/* The processes whose spools were added: each image that a process executed has one.  Starts as
 * zeroes. */
struct profile_processes {
	struct map numbers; /* {pid, start ticks}: index into the list, plus 1 */
	struct profile_process {
		uint64_t sampled_ns; /* CPU time of its images, as their spools have it */
		uint64_t until_ns;   /* CPU time that it had used at the end of the last of them */
	} * list;
	size_t count;
};

void profile_processes_free(struct profile_processes *processes);

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
	uint64_t before_ns;	    /* CPU time before sampling: of loaders, and before exec */
	uint64_t start_realtime_ns; /* of the first process, since 1970 */
	uint64_t wall_ns;	    /* first start to last end */
	uint32_t engines;	    /* bit 1 << enum spool_engine for each seen */
	unsigned damaged;	    /* spools of which a part could not be read */
	bool foreign;		    /* a spool belongs to another user */
};

/* Add a spool; those of one process in any order.  Returns 0 or -ENOMEM. */
int profile_summary_add(struct profile_summary *summary, struct profile_processes *processes,
			const struct spool_read *spool);

/* Add the state of the process of a spool in the file `path`: it may still run, or may have been
 * killed.  Reads /proc. */
void profile_summary_add_state(struct profile_summary *summary, const char *path,
			       const struct spool_header *header);

/* What a counter did not see because it could not be opened for some threads. */
struct lacks {
	uint64_t threads;
	uint64_t ns;  /* of their lives */
	uint32_t why; /* of the first of them: see struct spool_lack */
};

/* Add what a counter of this spool did not see.  spool->last_ns is set. */
void lacks_add(struct lacks *lacks, const struct spool_read *spool, unsigned counter);

/* Return why the counter could not be opened, and what would help.  Static; NULL: not known. */
const char *lacks_cause(const struct lacks *lacks);
const char *lacks_remedy(const struct lacks *lacks);

/* Write "3 threads (9.06 s)".  Returns false, and writes nothing, if nothing lacks. */
bool lacks_size(const struct lacks *lacks, char *text, size_t bytes);

/* Write "unknown for 3 threads (9.06 s): permission denied (EACCES); …".  Returns as lacks_size
 * does. */
bool lacks_text(const struct lacks *lacks, char *text, size_t bytes);

#endif
