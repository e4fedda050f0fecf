/*
 * Whether two groups of runs differ, and by how much: intervals of a change, absolute and relative,
 * and which of many changes can be relied on.  Nothing here knows what was measured.
 *
 * Runs vary by more than samples do, so the variance is that between runs, and never less than what
 * sampling alone explains.  Intervals are Student's t: Welch's for groups measured apart, of the
 * differences for pairs of runs that were made side by side.  A relative change is a ratio of two
 * means; its interval is Fieller's, so it tells where the change "above 3 %" is certain.
 */
#ifndef RUNTIME_COMPARE_STATISTICS_STATISTICS_H
#define RUNTIME_COMPARE_STATISTICS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* One quantity in the runs of one group. */
struct statistics_group {
	const double *value; /* one for each run, not negative */
	size_t count;	     /* at least 1 */
	double sampling;     /* variance of a run's value that sampling alone explains; 0: the value
			      * is exact */
};

/* What is not known is NaN: intervals and the chance of one exact value in each group; intervals of
 * few values that are all the same in each. */
struct statistics_change {
	double mean[2];		  /* before, after */
	double change, low, high; /* after - before, and its interval */
	double relative;	  /* change / before; INFINITY if there was nothing before */
	double relative_low;  /* its interval; no upper end, INFINITY, where `before` may be 0, and
			       */
	double relative_high; /* no lower one either, -INFINITY, where `after` may be 0 too */
	double chance; /* of a change at least as large if the groups are equal (p, two-sided) */
};

/* Fill in what sampling alone explains: a value of group i is a number of samples that weigh
 * per_sample[i] each (0: it is exact).  `whole` is the mean of all that is sampled in a run, of
 * which the value is a part; 0: the value is the whole. */
void statistics_sample(struct statistics_group group[2], const double per_sample[2], double whole);

/* Returns the mean of `count` values, at least one; exact where all are equal. */
double statistics_mean(const double *value, size_t count);

/* What is known about the variation between runs. */
enum statistics_method {
	STATISTICS_WELCH,    /* groups of at least two runs, measured apart */
	STATISTICS_PAIRED,   /* value i of both groups was measured side by side */
	STATISTICS_ONE,	     /* one group is of one run: it varies as the other group does */
	STATISTICS_SAMPLING, /* one run in each: variation between runs is unknown */
};

/* Returns the method for groups of these sizes; `paired` if they were measured side by side. */
enum statistics_method statistics_method(size_t before, size_t after, bool paired);

/* Returns the name of the method for readers: "Welch's t test". */
const char *statistics_method_name(enum statistics_method method);

/* Compare two groups; `alpha`, 0 < alpha < 1, is the chance that the interval misses the true
 * change.  Returns 0 with *change; -EINVAL for an empty group, or for pairs of groups that differ
 * in size; -ELIBACC without R's library, with *change in which intervals and the chance are NaN. */
int statistics_compare(const struct statistics_group group[2], enum statistics_method method,
		       double alpha, struct statistics_change *change);

/* How rows are compared that have a value of each run, those of the first group first. */
struct statistics_test {
	size_t runs[2];
	enum statistics_method method;
	double alpha;
	double per_sample[2]; /* as for statistics_sample(), like the next */
	double whole;
};

/* Compare the two groups of a row, with what sampling alone explains. */
void statistics_compare_row(const struct statistics_test *test, const double *row,
			    struct statistics_change *change);

/* Mark the changes that are not chance, such that the expected share of false ones among the marked
 * is at most `rate` (Benjamini and Hochberg 1995).  A NaN is never marked.  Returns how many are;
 * -ENOMEM. */
long statistics_discover(const double *chance, size_t count, double rate, bool *found);

/* How much of alpha looks at growing data may spend (Lan and DeMets 1983, O'Brien and Fleming's
 * shape): looks at part `from` and then at part `to`, 0 <= from < to <= 1, of the planned runs get
 * this alpha for the second.  All looks together miss with a chance of at most alpha, whatever
 * their number. */
double statistics_spend(double alpha, double from, double to);

/* Whether values drift in the order of time. */
struct statistics_trend {
	double relative; /* from the first to the last, on the fitted line, relative to the mean */
	double chance;	 /* of a slope as steep if there is no drift */
};

/* Returns 0 with *trend; -EINVAL for fewer than four values, or a mean of 0; -ELIBACC. */
int statistics_drift(const double *value, size_t count, struct statistics_trend *trend);

/* Returns how many values lie far from the others (modified z-score above 3.5: Iglewicz and Hoaglin
 * 1993), or -ENOMEM.  Fewer than five values have none. */
long statistics_outliers(const double *value, size_t count);

/*
 * The speed factor of a run: how much longer all functions took in it, alike, than in the other
 * runs. A neighbour on the same core, the frequency, or the temperature of the processor change it
 * from run to run, and no counter tells.  Values divided by it are normalized: they vary only as
 * much as the function itself does, so that far smaller changes are significant.
 *
 * It is that of the functions that did not change, their base: what a run spent in them, relative
 * to the mean of all runs.  It is not used
 * - where it hardly varies: then each function has its own change, without reservations;
 * - where it differs significantly between the sides: it may be the program that changed,
 * everywhere;
 * - where no base is to be seen: too few functions, or too many that changed.
 * So a change of all functions alike is never divided out of an answer that had been certain of it.
 */

/* The functions that may be the base: large enough to take part in the comparison. */
struct speed_factor_question {
	const double *value; /* own values: a row for each function, with all runs of the side
			      * before and then those of the side after */
	size_t functions;
	struct statistics_test test;
};

struct speed_factor {
	double *of_run; /* of all runs, those before first; 1 on average.  NULL: it is not used */
	double slowest; /* the largest speed factor, relative to the smallest */
	struct statistics_change shift; /* of the mean speed factor between the sides */
	bool alike; /* it is significant and not used: most functions changed by the shift */
};

/* Find the speed factor of runs, if it is to be used.  Returns 0 or -ENOMEM, with *speed to be
 * freed with speed_factor_free() in any case.  Context: any but a signal's. */
int speed_factor_find(const struct speed_factor_question *question, struct speed_factor *speed);
void speed_factor_free(struct speed_factor *speed);

#endif
