/* What a counter did not see because it could not be opened for some threads. */
#ifndef RUNTIME_PROFILE_ANALYSIS_LACKS_H
#define RUNTIME_PROFILE_ANALYSIS_LACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool_read;

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
