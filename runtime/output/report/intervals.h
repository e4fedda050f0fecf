/*
 * Unusual moments of a run: the parts whose stacks or load differ most from the rest.  The page
 * finds the same ones with the same words (viewer_moments.js).
 */
#ifndef RUNTIME_OUTPUT_REPORT_INTERVALS_H
#define RUNTIME_OUTPUT_REPORT_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/output/report/interval_records.h"

#define INTERVALS_KINDS_MAX (INTERVAL_FEATURES + 2) /* a function each, quiet, busy */

enum interval_kind {
	INTERVAL_NONE,	  /* nothing is unusual */
	INTERVAL_UNKNOWN, /* there are no samples, of which nothing follows */
	INTERVAL_MIX,	  /* a function has a much larger share than of the whole run */
	INTERVAL_QUIET,	  /* nearly no samples */
	INTERVAL_BUSY,	  /* many samples */
};

struct interval {
	enum interval_kind kind;
	unsigned feature; /* of MOMENT_MIX: the function */
	double from_ns, to_ns;
	double length_ns; /* of the pieces that it was found in */
	double effect;	  /* how unusual it is, up to 1 */
	double samples;	  /* records in it; of a load, the usual number */
	double count;	  /* of those, of the function; of a load, all */
	double usual;	  /* share of the function in the whole run */
};

/* Moments that are unusual in the same way, in the order of time. */
struct intervals_alike {
	struct interval *list;
	unsigned count;
	double score;
};

/* All kinds, the most unusual first. */
struct intervals {
	struct intervals_alike kinds[INTERVALS_KINDS_MAX];
	unsigned count;
};

/* Find them.  Returns 0, or -ENOMEM.  Release with moments_free() in both cases. */
int intervals_find(const struct interval_records *records, struct intervals *moments);
void intervals_free(struct intervals *moments);

/* Returns the one of a kind that shows it best. */
const struct interval *intervals_typical(const struct intervals_alike *alike);

#endif
