/* What is unusual in moments, in the words of the page (explain() in viewer_moments.js). */
#ifndef RUNTIME_OUTPUT_REPORT_INTERVALS_TEXT_H
#define RUNTIME_OUTPUT_REPORT_INTERVALS_TEXT_H

#include <stdint.h>

#include "runtime/output/report/intervals.h"

#define INTERVAL_TIMES_BYTES 160

struct profile;
struct load_source;

struct interval_words {
	enum interval_kind kind;
	uint64_t from_ns, to_ns; /* of the typical one */
	unsigned count;		 /* of moments that are alike */
	uint64_t every_ns;	 /* they come at regular times; 0: they do not */
	/* A number of the string table: the function that has more, or in which threads waited; 0:
	 * none. */
	uint32_t name;
	double share, usual; /* of INTERVAL_MIX: what the function has then, and in the whole run */
	char times[INTERVAL_TIMES_BYTES]; /* "3 times 20 ms to 50 ms, every 2 s" */
};

/* What the whole run has by node; all zeros is none. */
struct interval_sums {
	double *total; /* by node of the source's calls, with its callees */
	double waited; /* of them, off the processor */
};

/* Sum up between two times.  `profile`: also what was spent off the processor; NULL: the records
 * alone.  Returns 0, or -ENOMEM.  Release with interval_sums_free() in both cases. */
int interval_sums_make(const struct load_source *source, const struct interval_records *records,
		       const struct profile *profile, double from_ns, double to_ns,
		       struct interval_sums *sums);
void interval_sums_free(struct interval_sums *sums);

/* Explain moments that are alike.  `whole`: the sums of the whole run.  Returns 0 or -ENOMEM. */
int intervals_explain(const struct load_source *source, const struct profile *profile,
		      const struct interval_records *records, const struct interval_sums *whole,
		      const struct intervals_alike *alike, struct interval_words *words);

#endif
