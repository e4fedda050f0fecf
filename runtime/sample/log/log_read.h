/*
 * Reads the entries of a chunk that this process wrote.
 */
#ifndef RUNTIME_SAMPLE_LOG_LOG_READ_H
#define RUNTIME_SAMPLE_LOG_LOG_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/log/log_write.h"

/* The entry that was read last. */
struct log_read {
	const struct spool_log_entry *entry;
	const struct spool_log_entry *end;
	uint64_t base_ns;
	enum spool_log_kind kind;   /* SAMPLE, MEMBER, MARK or END */
	struct log_sample sample;   /* SAMPLE, MEMBER; its time also of MARK and END */
	enum spool_mark mark;	    /* MARK */
	uint64_t value;		    /* MARK */
	struct log_context context; /* that holds for it */
};

/* Begin with a chunk.  The context holds until the chunk says otherwise.  Context: the writer of
 * the log; likewise the other. */
void log_read_start(struct log_read *read, const struct spool_chunk *chunk);

/* Read the next entry of the kinds above.  Returns false at the end. */
bool log_read_next(struct log_read *read);

#endif
