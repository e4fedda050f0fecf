/*
 * Reads a log of the timeline (runtime/spool/format_log.h): of a thread, or the marks of a process.
 * Times are in ns of CLOCK_MONOTONIC.
 */
#ifndef RUNTIME_PROFILE_SPOOL_SPOOL_LOG_H
#define RUNTIME_PROFILE_SPOOL_SPOOL_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format_log.h"

struct spool_check;
struct spool_check_list;

/* One counter of one sample, in the order of the log.  The counters of a group have entries one
 * after another with the same time, the sample's own counter first. */
struct spool_read_sample {
	uint64_t time_ns;
	uint64_t samples;
	uint64_t events;  /* of a counter of time off the processor: since when, before time_ns */
	uint32_t node;	  /* index into the nodes of the thread */
	uint32_t run;	  /* index into `runs` */
	uint32_t labels;  /* number of the label set; 0: none */
	uint32_t trace;	  /* index into `traces` plus 1; 0: none */
	uint32_t counter; /* of the spool */
};

/* One thread that wrote into a log: the log of a sum of ended threads has several. */
struct spool_read_run {
	uint32_t tid;
	uint64_t start_ns;
	uint64_t end_ns; /* 0: not known */
};

struct spool_read_mark {
	uint64_t time_ns;
	uint64_t value; /* as in enum spool_mark */
	enum spool_mark kind;
	uint32_t run; /* index into `runs` */
};

/* Trace and span of OpenTelemetry; not all bytes are zero. */
struct spool_read_trace {
	uint8_t trace[16];
	uint8_t span[8];
};

struct spool_read_log {
	struct spool_read_sample *samples;
	size_t sample_count;
	struct spool_read_run *runs;
	uint32_t run_count;
	struct spool_read_mark *marks;
	size_t mark_count;
	struct spool_read_trace *traces;
	uint32_t trace_count;
};

/* Read the log that begins with the chunk `first`, which the word at `linked` names.  *owner is set
 * for spool_check_forget().  The nodes of samples are references, until spool_log_resolve().  What
 * cannot be read is damage and is left out.  Returns 0 or -errno; in both cases the caller frees
 * the log. */
int spool_log_read(struct spool_check *check, uint64_t first, uint64_t linked,
		   struct spool_read_log *log, uint32_t *owner);

/* Turn the references to nodes into indices.  `nodes` is the list of the nodes of the log's thread,
 * which was read after the log.  Samples of other nodes are left out; `at` is where their damage
 * is.
 */
void spool_log_resolve(struct spool_check *check, const struct spool_check_list *nodes, uint64_t at,
		       struct spool_read_log *log);

/* Check the label sets of a log, of which there are `labels`. */
void spool_log_check_labels(struct spool_check *check, size_t labels, uint64_t at,
			    struct spool_read_log *log);

void spool_log_free(struct spool_read_log *log);

#endif
