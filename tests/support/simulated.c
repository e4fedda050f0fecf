/* The numbers are those of a xorshift generator with a fixed seed. */
#include "tests/support/simulated.h"

#include "tests/support/unit.h"

#define LARGE_RATE 60 /* Poisson's distribution is nearly normal */

static uint64_t seed;

UNIT(setup)
{
	seed = 88172645463325252ULL;
	return 0;
}

double simulated_uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 0x1p53;
}

double simulated_normal(void)
{
	return sqrt(-2 * log(simulated_uniform())) * cos(2 * M_PI * simulated_uniform());
}

double simulated_poisson(double rate)
{
	double product, least, count = 0;

	if (rate > LARGE_RATE)
		return fmax(0, round(rate + sqrt(rate) * simulated_normal()));
	product = simulated_uniform();
	for (least = exp(-rate); product > least; count++)
		product *= simulated_uniform();
	return count;
}

void simulated_near(double found, double expected, double distance)
{
	if (!(fabs(found - expected) <= distance))
		fail_msg("%g is not within %g of %g", found, distance, expected);
}

static double error_of(unsigned trials, double chance)
{
	return sqrt(chance * (1 - chance) / trials);
}

void simulated_at_most(unsigned hits, unsigned trials, double chance)
{
	double found = (double)hits / trials;

	if (found > chance + 4 * error_of(trials, chance))
		fail_msg("%g of %u is more than %g", found, trials, chance);
}

void simulated_share(unsigned hits, unsigned trials, double chance)
{
	double found = (double)hits / trials;

	simulated_at_most(hits, trials, chance);
	if (found < chance - 4 * error_of(trials, chance))
		fail_msg("%g of %u is less than %g", found, trials, chance);
}

void simulated_draw(struct simulated *simulated)
{
	double walk = 0;

	for (size_t run = 0; run < simulated->runs; run++)
		for (size_t turn = 0; turn < 2; turn++) {
			size_t side = (turn + run) % 2;

			walk += simulated->drift * simulated_normal();
			simulated->value[side][run] = simulated->mean[side] + walk +
						      simulated->spread[side] * simulated_normal();
		}
	for (int side = 0; side < 2; side++)
		simulated->group[side] =
			(struct statistics_group){ simulated->value[side], simulated->runs, 0 };
}
