/*
 * What became of all that a counter counted: counted = in stacks + paused + lost + unsampled.
 * The last is what came after the last sample of each thread.
 */
#ifndef RUNTIME_FOLD_REPORT_REPORT_ACCOUNT_H
#define RUNTIME_FOLD_REPORT_REPORT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct profile_total;

/* In the counter's own unit. */
struct report_account {
	bool counts;	    /* false: nothing was counted; of the sum only in_stacks is known */
	uint64_t counted;   /* scaled, where the counter took turns with others */
	uint64_t in_stacks; /* scaling each sample by itself may leave more than `counted` here */
	uint64_t paused;
	uint64_t lost;
	uint64_t unsampled;
};

/* The account of one counter.  Context: any. */
struct report_account report_account_of(const struct profile_total *total);

/* True if the counter took turns with others and its count is scaled.  Context: any. */
bool report_account_is_scaled(const struct profile_total *total);

#endif
