/*
 * Splits the count of a counter: counted = in stacks + paused + lost + unsampled.  The last is the
 * part after the last sample of each thread.
 */
#ifndef RUNTIME_FOLD_REPORT_REPORT_ACCOUNT_H
#define RUNTIME_FOLD_REPORT_REPORT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct profile_total;

/* In the counter's own unit. */
struct report_account {
	bool counts;	    /* false: nothing was counted; only in_stacks is known */
	uint64_t counted;   /* scaled if the counter was multiplexed */
	uint64_t in_stacks; /* may exceed `counted`, since each sample is scaled by itself */
	uint64_t paused;
	uint64_t lost;
	uint64_t unsampled;
};

/* Returns the account of one counter.  Context: any. */
struct report_account report_account_of(const struct profile_total *total);

/* Returns true if the counter was multiplexed and its count is scaled.  Context: any. */
bool report_account_is_scaled(const struct profile_total *total);

#endif
