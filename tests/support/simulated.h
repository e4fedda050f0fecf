/* Random numbers of known distributions, the same in every run of a test; and checks of how often
 * something happened among many trials.  The numbers start over in unit_setup(), which a program
 * that calls one of these functions has from here. */
#ifndef TESTS_SUPPORT_SIMULATED_H
#define TESTS_SUPPORT_SIMULATED_H

#include <stddef.h>

#include "runtime/compare/statistics/statistics.h"

#define SIMULATED_RUNS_MOST 40

double simulated_uniform(void); /* between 0 and 1, neither of them */
double simulated_normal(void);	/* mean 0, variance 1 */
double simulated_poisson(double rate);

/* Fail the case unless the number is within that distance. */
void simulated_near(double found, double expected, double distance);

/* Fail the case unless the hits are what `chance` makes expect, within four standard errors; or at
 * most that. */
void simulated_share(unsigned hits, unsigned trials, double chance);
void simulated_at_most(unsigned hits, unsigned trials, double chance);

/* Runs of two programs in the order ABBA: they share a random walk, which goes on from run to run,
 * so pairs are neighbours. */
struct simulated {
	double mean[2];
	double spread[2]; /* standard deviations */
	double drift;	  /* standard deviation of a step of the walk */
	size_t runs;	  /* of each */
	double value[2][SIMULATED_RUNS_MOST];
	struct statistics_group group[2];
};

/* Draw the values, and make groups of them. */
void simulated_draw(struct simulated *simulated);

#endif
