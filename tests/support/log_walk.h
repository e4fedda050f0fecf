/* The entries of a log in memory, read for tests.  It shares no code with the library. */
#ifndef TESTS_SUPPORT_LOG_WALK_H
#define TESTS_SUPPORT_LOG_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format_log.h"

/* An entry of a time, with what holds for it. */
struct log_found {
	enum spool_log_kind kind; /* SAMPLE, MEMBER, MARK, END */
	unsigned counter;	  /* or the mark */
	uint64_t time_ns;
	uint64_t samples;
	uint64_t events; /* or the value of the mark */
	uint32_t node;
	uint32_t tid;
	uint64_t start_ns;
	uint64_t labels;
	uint64_t trace[2];
	uint64_t span;
	unsigned chunk;	 /* number in the list */
	uint64_t joined; /* how often the samples of the chunk were joined */
};

struct log_walk {
	struct log_found *found; /* the caller frees it */
	size_t count;
	unsigned chunks;
	const char *wrong; /* NULL: the log is sound */
};

/* Read the list that begins at `first` in the file mapped at `base`.  Adds to what `walk` has. */
void log_walk(struct log_walk *walk, const void *base, uint64_t first);

/* Returns the sum of one counter over all nodes, or over one if node is not 0. */
uint64_t log_walk_samples(const struct log_walk *walk, unsigned counter, uint32_t node);
uint64_t log_walk_events(const struct log_walk *walk, unsigned counter, uint32_t node);

#endif
