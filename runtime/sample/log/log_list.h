/*
 * The list of a log's chunks, by levels.
 */
#ifndef RUNTIME_SAMPLE_LOG_LOG_LIST_H
#define RUNTIME_SAMPLE_LOG_LOG_LIST_H

#include <stdbool.h>

struct log;
struct spool_chunk;

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

#endif
