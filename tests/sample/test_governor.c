/* The governor: a period is long enough for the cost of a sample, a thread without progress is
 * distinguished from one with progress, and clocks rest while no samples are wanted. */

#include <linux/perf_event.h>
#include <stdbool.h>

#include "runtime/sample/perf/governor.h"
#include "tests/support/unit.h"

#define US 1000ULL

/* How many of `turns` alike turns bring the verdict that there is no progress. */
static unsigned verdicts(const struct governor_turn *turn, unsigned turns, uint64_t signal_ns,
			 uint64_t period_ns)
{
	struct governor governor = { 0 };
	unsigned found = 0;

	for (unsigned i = 0; i < turns; i++)
		found += governor_turn(&governor, turn, signal_ns, period_ns);
	return found;
}

TEST(a_period_is_twice_the_cost)
{
	assert_int_equal(GOVERNOR_LEAST_NS(21 * US), 42 * US);
}

/* 20 us for the signal and 5 for the handler: a period of 33 us leaves a quarter. */
TEST(less_than_a_quarter_is_no_progress)
{
	for (uint64_t period = 25; period < 100; period++) {
		const struct governor_turn turn = { .gap_ns = (period - 5) * US,
						    .own_ns = 5 * US,
						    .signals = 1 };
		bool starved = 4 * (period - 25) < period;

		assert_int_equal(verdicts(&turn, 10 * GOVERNOR_TURNS, 20 * US, period * US),
				 starved ? 10 : 0);
	}
}

TEST(signals_without_a_turn_cost_too)
{
	struct governor_turn turn = { .gap_ns = 100 * US, .own_ns = 5 * US, .signals = 1 };

	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 20 * US, 100 * US), 0);
	turn.signals = 4;
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 20 * US, 100 * US), 1);
	turn.signals = 40; /* more than there is time for */
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 20 * US, 100 * US), 1);
}

TEST(without_a_trial_turns_must_not_outlast_the_period)
{
	struct governor_turn turn = { .gap_ns = 25 * US, .own_ns = 5 * US, .signals = 1 };

	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 0, 20 * US), 0);
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 0, 19 * US), 1);
	turn.gap_ns = 10000 * US; /* a long call, under a period that is no hazard */
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 0, GOVERNOR_FAST_NS), 0);
	turn.gap_ns = UINT64_MAX; /* not known */
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 0, 10 * US), 0);
}

/* Of 10 kHz: a turn may be long because the program is in system calls all the time. */
TEST(what_the_signal_takes_is_learnt_without_a_trial)
{
	struct governor_turn turn = { .gap_ns = 1000 * US, .own_ns = 5 * US, .signals = 1 };

	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 0, 100 * US), 1); /* nothing was learnt */
	turn.arrival_ns = 8 * US;
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 0, 100 * US), 0);
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 0, 99 * US), 1); /* a trial failed */
	turn.gap_ns = 95 * US;
	for (turn.arrival_ns = 1 * US; turn.arrival_ns < 60 * US; turn.arrival_ns += US)
		assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 0, 100 * US),
				 turn.arrival_ns > 35 * US);
}

TEST(what_was_learnt_is_the_least_and_holds_without_news)
{
	const struct governor_turn near = { .gap_ns = 190 * US,
					    .signals = 1,
					    .arrival_ns = 8 * US };
	const struct governor_turn late = { .gap_ns = 190 * US,
					    .signals = 1,
					    .arrival_ns = 90 * US };
	const struct governor_turn none = { .gap_ns = 190 * US, .signals = 1 };
	struct governor governor = { 0 };

	for (unsigned i = 0; i < GOVERNOR_TURNS; i++)
		assert_false(governor_turn(&governor, i ? &late : &near, 0, 100 * US));
	for (unsigned i = 0; i < 3 * GOVERNOR_TURNS; i++)
		assert_false(governor_turn(&governor, &none, 0, 100 * US));
	for (unsigned i = 1; i < GOVERNOR_TURNS; i++)
		assert_false(governor_turn(&governor, &late, 0, 100 * US));
	assert_true(governor_turn(&governor, &late, 0, 100 * US)); /* it has become dearer */
}

TEST(an_overflow_inside_the_handler_is_no_progress)
{
	const struct governor_turn turn = { .gap_ns = UINT64_MAX, .overflowed = true };

	assert_int_equal(verdicts(&turn, 3 * GOVERNOR_TURNS, 0, 0), 3);
}

/* The kernel's clocks overflow every 10 us at most.  No turn is more than a quarter of a judgement.
 */
TEST(turns_that_last_many_periods_are_judged_sooner)
{
	struct governor_turn turn = { .gap_ns = UINT64_MAX, .overflowed = true };

	turn.own_ns = 150 * US;
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS - 1, 0, 1 * US), 0);
	turn.own_ns = 3 * 160 * US;
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS / 4 - 1, 0, 1 * US), 0);
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS / 4, 0, 1 * US), 1);
	turn.own_ns = 100000 * US;
	assert_int_equal(verdicts(&turn, 3, 0, 1 * US), 0);
	assert_int_equal(verdicts(&turn, 4, 0, 1 * US), 1);
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS - 1, 0, GOVERNOR_FAST_NS), 0);
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS - 1, 0, 0), 0);
	turn.overflowed = false; /* taken away by the host, or a long unwind */
	assert_int_equal(verdicts(&turn, GOVERNOR_TURNS, 0, 1 * US), 0);
}

/* A quarter of the turns may be the machine's doing. */
TEST(a_few_bad_turns_say_nothing)
{
	const struct governor_turn bad = { .overflowed = true }, good = { .gap_ns = UINT64_MAX };

	for (unsigned share = 0; share <= GOVERNOR_TURNS; share++) {
		struct governor governor = { 0 };
		bool verdict = false;

		for (unsigned i = 0; i < GOVERNOR_TURNS; i++)
			verdict |= governor_turn(&governor, i < share ? &bad : &good, 0, 0);
		assert_int_equal(verdict, share > GOVERNOR_TURNS / 4 * 3);
	}
}

TEST(clocks_rest_until_a_window_opens)
{
	assert_int_equal(governor_beat_ns(1000, UINT64_MAX, 50 * US), GOVERNOR_BEAT_NS);
	assert_int_equal(governor_beat_ns(1000, 0, 50 * US), GOVERNOR_BEAT_NS);
	assert_int_equal(governor_beat_ns(1000, 1000 + 70 * US, 50 * US), 70 * US);
	assert_int_equal(governor_beat_ns(1000, 1000 + 20 * US, 50 * US), 50 * US);
	assert_int_equal(governor_beat_ns(1000, UINT64_MAX, 3 * GOVERNOR_BEAT_NS),
			 3 * GOVERNOR_BEAT_NS);
}

TEST(walks_take_a_quarter_of_the_period_and_no_less_than_they_may)
{
	assert_int_equal(governor_backoff(0, 25 * US, 100 * US), 0);
	assert_int_equal(governor_backoff(0, 26 * US, 100 * US), 1);
	assert_int_equal(governor_backoff(1, 26 * US, 100 * US), 1);
	assert_int_equal(governor_backoff(1, 20 * US, 100 * US), 0); /* all walks take a fifth */
	assert_int_equal(governor_backoff(1, 51 * US, 100 * US), 2);
	assert_int_equal(governor_backoff(2, 51 * US, 100 * US), 2);
	assert_int_equal(governor_backoff(2, 49 * US, 100 * US), 1);
}

TEST(hardly_any_walks_are_better_than_none)
{
	unsigned backoff = 0, before;

	do {
		before = backoff;
		backoff = governor_backoff(before, UINT64_MAX / 2, 100 * US);
	} while (backoff != before);
	assert_int_equal(backoff, 10);
	assert_int_equal(governor_backoff(backoff, 1, 100 * US), 9);
}

TEST(a_raised_period_only_grows)
{
	governor_start();
	assert_int_equal(governor_raised(1), 0);
	governor_raise(1, 40);
	governor_raise(1, 20);
	governor_raise(0, 10);
	assert_int_equal(governor_raised(1), 40);
	assert_int_equal(governor_raised(0), 10);
	governor_start();
	assert_int_equal(governor_raised(1), 0);
}

TEST(periods_and_frequencies_are_slowed)
{
	struct perf_event_attr attr = { .sample_period = 10 * US };

	governor_slow(&attr, 5 * US);
	assert_int_equal(governor_period(&attr), 10 * US);
	governor_slow(&attr, 40 * US);
	assert_int_equal(attr.sample_period, 40 * US);
	attr = (struct perf_event_attr){ .freq = 1, .sample_freq = 50000 };
	assert_int_equal(governor_period(&attr), 20 * US);
	governor_slow(&attr, 10 * US);
	assert_int_equal(attr.sample_freq, 50000);
	governor_slow(&attr, 40 * US);
	assert_int_equal(attr.sample_freq, 25000);
	governor_slow(&attr, 4000000 * US); /* a frequency of 0 is none */
	assert_int_equal(attr.sample_freq, 1);
}
