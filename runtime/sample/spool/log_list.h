/*
 * The list of a log's chunks.
 */
#ifndef RUNTIME_SAMPLE_SPOOL_LOG_LIST_H
#define RUNTIME_SAMPLE_SPOOL_LOG_LIST_H

struct log;
struct spool_chunk;

/* Append a chunk that is ready to be read.  Context: the writer of the log; likewise the others. */
void log_list_append(struct log *log, struct spool_chunk *chunk);

/* Returns the oldest chunk; NULL: none. */
struct spool_chunk *log_list_first(const struct log *log);

/* Take the oldest chunk, which exists, out of the list and give it back. */
void log_list_drop_first(struct log *log);

#endif
