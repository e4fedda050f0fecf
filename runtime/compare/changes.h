/*
 * The changes of one counter between two sides of runs: of the whole, and of each function, itself
 * and with all that it called; each with its interval, and marked where it is significant.
 *
 * "Sure" bounds the share of false marks among all functions, themselves and with callees together
 * (Benjamini and Hochberg).  Functions too small to matter on both sides take no part: a choice
 * that looks at both sides together, so it does not favour a change.
 *
 * Where all functions of a run took longer alike, their values are divided by the speed factor of
 * their run (struct speed_factor); the whole and the noise are not.
 */
#ifndef RUNTIME_COMPARE_CHANGES_H
#define RUNTIME_COMPARE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compare/statistics/statistics.h"

struct runs;

struct changes_options {
	double alpha;	    /* 1 - confidence, 0 < alpha < 1 */
	bool paired;	    /* run i of both sides was made side by side */
	double least_share; /* of the whole, 0 … 1, that a function has to reach; CHANGES_LEAST */
};

#define CHANGES_LEAST 0.001

/* One quantity: a function's own value, its value with callees, the whole, or the noise. */
struct changes_value {
	struct statistics_change change; /* per run */
	double share[2];		 /* of the whole, 0 … 1, before and after */
	bool tested;			 /* large enough to take part */
	bool significant;
};

struct changes_function {
	const char *name; /* as after; owned by the runs */
	struct changes_value self;
	struct changes_value total;
};

struct changes {
	size_t runs[2];
	enum statistics_method method;
	double alpha;
	bool has_intervals; /* false without R's library: then low, high and chance are NaN */
	struct changes_value whole; /* without noise; `significant` at alpha, by itself */
	struct changes_value noise; /* never significant; its shares are of the whole */
	struct speed_factor speed;  /* of the runs; where it is used, functions are normalized */
	/* The whole likewise, of which the functions are shares; equal to `whole` where no speed
	 * factor is used. */
	struct changes_value normalized;
	struct changes_function *functions;
	size_t count;
};

/* Compute the changes of settled runs, which must outlive the result.  A counter may have nothing
 * on one side: page faults that only the other side takes.  Returns 0; -ENODATA if a side has no
 * run, or neither has anything but noise; -ENOMEM.  Call changes_free() in any case. */
int changes_make(const struct runs *runs, const struct changes_options *options,
		 struct changes *changes);
void changes_free(struct changes *changes);

/* Fill in how settled runs are compared: what is sampled is all of a run, with noise.  *total gets
 * the sum of all without noise.  Returns 0, or -ENODATA if a side has no run. */
int changes_test(const struct runs *runs, const struct changes_options *options,
		 struct statistics_test *test, double *total);

/* Mark what is significant among these values.  Returns 0 or -ENOMEM. */
int changes_mark(struct changes_value *const *values, size_t count, double alpha);

/* Order functions for reading: significant changes first, then by the size of the change; equal
 * ones by name.  By own values, or by those with callees. */
void changes_order(struct changes *changes, bool total);

/* Returns a function by its name, with or without the suffix of its kind; NULL if there is none. */
const struct changes_function *changes_find(const struct changes *changes, const char *name);

#endif
