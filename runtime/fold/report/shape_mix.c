/*
 * The mix of a moment is the share that each function has of its events, by the function that a
 * stack ends in.  Its distance from the mix of the whole run is the part of its events that would
 * have to be of other functions to make both equal.  What chance alone would make of it, with as
 * few samples, is subtracted.  A moment is unusual if the rest is much larger than it is for most
 * moments.
 */
#include "runtime/fold/report/shape_mix.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/fold/base/grow.h"
#include "runtime/fold/profile/call_tree.h"
#include "runtime/fold/profile/timeline.h"
#include "runtime/fold/report/shape_moments.h"

#define MOMENTS_LEAST	8
#define EFFECTIVE_LEAST 10.0 /* samples of a moment */
#define STANDS_OUT	5.0  /* standard deviations from the median */
#define DISTANCE_LEAST	0.02
#define SECOND_LEAST	0.1    /* gain in share with which a second function is named */
#define TWO_BY_PI	0.6366 /* the square of the mean distance of a normal distribution */
#define CHANCE_SPREAD	0.3    /* of the distance, times the root of the samples; at most */

struct cell {
	uint32_t name;
	double events;
};

struct mix {
	const struct shape_moments *moments;
	uint32_t names;
	double *total, *part; /* events by name: of the run, and of a part of it */
	double whole;
	struct cell *cells; /* by moment */
	size_t cell_count;
	size_t first[SHAPE_MOMENTS_MAX + 1]; /* cell of a moment; of the next one, its end */
	double squares[SHAPE_MOMENTS_MAX];   /* sum of the squares of the samples' events */
	double score[SHAPE_MOMENTS_MAX];     /* 0: not unusual */
	uint32_t leader[SHAPE_MOMENTS_MAX];  /* the name whose share grows most */
};

static bool add_cell(struct mix *mix, uint32_t name)
{
	if (!grow(&mix->cells, mix->cell_count, sizeof(*mix->cells)))
		return false;
	mix->cells[mix->cell_count++] = (struct cell){ .name = name };
	return true;
}

/* Gives the cells of the last moment, which have their names, their events. */
static void end_moment(struct mix *mix, size_t from)
{
	for (size_t i = from; i < mix->cell_count; i++) {
		struct cell *cell = &mix->cells[i];

		cell->events = mix->part[cell->name];
		mix->total[cell->name] += cell->events;
		mix->whole += cell->events;
		mix->part[cell->name] = 0;
	}
}

static int add_sample(struct mix *mix, const struct shape_source *source,
		      const struct timeline_sample *sample, unsigned moment)
{
	uint32_t name = call_tree_node(source->calls, sample->node).name;
	double events = (double)sample->events;

	if (name > mix->names)
		return 0;
	mix->squares[moment] += events * events;
	if (mix->part[name] == 0 && !add_cell(mix, name))
		return -ENOMEM;
	mix->part[name] += events;
	return 0;
}

/* Samples are in the order of time, so the cells of one moment are complete before the next. */
static int fill(struct mix *mix, const struct shape_source *source)
{
	const struct timeline *timeline = source->timeline;
	unsigned now = 0;
	int err = 0;

	for (size_t i = 0; !err && i < timeline->sample_count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];
		unsigned moment = shape_moments_at(mix->moments, sample->time_ns);

		if (!shape_moments_take(source, sample))
			continue;
		for (; now < moment; mix->first[++now] = mix->cell_count)
			end_moment(mix, mix->first[now]);
		err = add_sample(mix, source, sample, now);
	}
	end_moment(mix, mix->first[now]);
	while (now < mix->moments->count)
		mix->first[++now] = mix->cell_count;
	return err;
}

static double events_of(const struct mix *mix, unsigned low, unsigned high)
{
	double events = 0;

	for (size_t i = mix->first[low]; i < mix->first[high + 1]; i++)
		events += mix->cells[i].events;
	return events;
}

/* Returns the distance of a moment's mix, and notes the name to which it owes most. */
static double distance_of(struct mix *mix, unsigned moment)
{
	double events = events_of(mix, moment, moment), distance = 0, most = 0;

	for (size_t i = mix->first[moment]; i < mix->first[moment + 1]; i++) {
		const struct cell *cell = &mix->cells[i];
		double gain = cell->events / events - mix->total[cell->name] / mix->whole;

		if (gain > 0)
			distance += gain;
		if (gain > most) {
			most = gain;
			mix->leader[moment] = cell->name;
		}
	}
	return distance;
}

/* Returns the distance that `samples` samples of the whole run have by chance. */
static double chance_of(const struct mix *mix, double samples)
{
	double sum = 0;

	for (uint32_t i = 0; i <= mix->names; i++) {
		double share = mix->total[i] / mix->whole, spread = share * (1 - share);
		double few = 2 * spread, many = __builtin_sqrt(TWO_BY_PI * spread / samples);

		if (share > 0)
			sum += few < many ? few : many;
	}
	return sum / 2;
}

static void score(struct mix *mix)
{
	double rest[SHAPE_MOMENTS_MAX], sorted[SHAPE_MOMENTS_MAX], samples[SHAPE_MOMENTS_MAX];
	struct shape_middle middle;
	unsigned judged = 0;

	for (unsigned i = 0; i < mix->moments->count; i++) {
		double events = events_of(mix, i, i);

		samples[i] = events > 0 ? events * events / mix->squares[i] : 0;
		if (samples[i] < EFFECTIVE_LEAST)
			continue;
		rest[i] = distance_of(mix, i) - chance_of(mix, samples[i]);
		sorted[judged++] = rest[i];
	}
	if (judged < MOMENTS_LEAST)
		return;
	middle = shape_middle_of(sorted, judged);
	for (unsigned i = 0; i < mix->moments->count; i++) {
		double by;

		if (samples[i] < EFFECTIVE_LEAST)
			continue;
		by = middle.deviation + CHANCE_SPREAD / __builtin_sqrt(samples[i]);
		if (rest[i] - middle.median >= DISTANCE_LEAST &&
		    rest[i] - middle.median >= STANDS_OUT * by)
			mix->score[i] = (rest[i] - middle.median) / by;
	}
}

static bool is_alike(const struct mix *mix, unsigned moment, uint32_t leader)
{
	return mix->score[moment] > 0 && mix->leader[moment] == leader;
}

/* Adds the events of all moments with that leader to mix->part; returns their sum. */
static double add_alike(struct mix *mix, uint32_t leader)
{
	double events = 0;

	for (unsigned i = 0; i < mix->moments->count; i++) {
		if (!is_alike(mix, i, leader))
			continue;
		events += events_of(mix, i, i);
		for (size_t k = mix->first[i]; k < mix->first[i + 1]; k++)
			mix->part[mix->cells[k].name] += mix->cells[k].events;
	}
	return events;
}

/* Keeps the functions whose share grows most. */
static void keep_function(struct shape_unusual *unusual, struct shape_function function)
{
	double gain = function.share - function.elsewhere;
	unsigned at = unusual->function_count;

	while (at && gain > unusual->functions[at - 1].share - unusual->functions[at - 1].elsewhere)
		at--;
	if (at == SHAPE_FUNCTIONS_MAX || (at && gain < SECOND_LEAST))
		return;
	if (unusual->function_count < SHAPE_FUNCTIONS_MAX)
		unusual->function_count++;
	for (unsigned i = unusual->function_count - 1; i > at; i--)
		unusual->functions[i] = unusual->functions[i - 1];
	unusual->functions[at] = function;
	if (unusual->function_count > 1 &&
	    unusual->functions[1].share - unusual->functions[1].elsewhere < SECOND_LEAST)
		unusual->function_count = 1;
}

/* Names the functions of the moments from `low` to `high`.  `inside` has zeros, before and after.
 * mix->part has the events of all moments like them, `alike` in sum. */
static void name_functions(struct mix *mix, unsigned low, unsigned high, double alike,
			   double *inside, struct shape_unusual *unusual)
{
	double events = events_of(mix, low, high);
	size_t from = mix->first[low], to = mix->first[high + 1];

	for (size_t i = from; i < to; i++)
		inside[mix->cells[i].name] += mix->cells[i].events;
	for (size_t i = from; i < to; i++) {
		uint32_t name = mix->cells[i].name;
		struct shape_function function = { .name = name, .share = inside[name] / events };

		if (inside[name] == 0)
			continue; /* named already */
		inside[name] = 0;
		if (mix->whole > alike)
			function.elsewhere =
				(mix->total[name] - mix->part[name]) / (mix->whole - alike);
		keep_function(unusual, function);
	}
}

/* Describes the moment and those beside it that are like it. */
static void describe(struct mix *mix, unsigned moment, double *inside,
		     struct shape_unusual *unusual)
{
	uint32_t leader = mix->leader[moment];
	unsigned low = moment, high = moment;
	double alike = add_alike(mix, leader);

	while (low && is_alike(mix, low - 1, leader))
		low--;
	while (high + 1 < mix->moments->count && is_alike(mix, high + 1, leader))
		high++;
	shape_moments_bounds(mix->moments, low, high, &unusual->from_ns, &unusual->to_ns);
	for (unsigned i = 0; i < mix->moments->count; i++)
		unusual->more += is_alike(mix, i, leader) && (i < low || i > high) &&
				 (!i || !is_alike(mix, i - 1, leader));
	name_functions(mix, low, high, alike, inside, unusual);
	for (unsigned i = 0; i < mix->moments->count; i++) {
		if (!is_alike(mix, i, leader))
			continue;
		mix->score[i] = 0;
		for (size_t k = mix->first[i]; k < mix->first[i + 1]; k++)
			mix->part[mix->cells[k].name] = 0;
	}
}

static unsigned rank(struct mix *mix, double *inside, struct shape_unusual *unusual)
{
	for (unsigned count = 0;; count++) {
		unsigned best = 0;

		for (unsigned i = 1; i < mix->moments->count; i++)
			if (mix->score[i] > mix->score[best])
				best = i;
		if (mix->score[best] <= 0 || count == SHAPE_UNUSUAL_MAX)
			return count;
		unusual[count] = (struct shape_unusual){ 0 };
		describe(mix, best, inside, &unusual[count]);
	}
}

int shape_mix_find(const struct shape_source *source, const struct shape_moments *moments,
		   struct shape_unusual *unusual, unsigned *count)
{
	struct mix mix = { .moments = moments, .names = source->names };
	double *all = calloc((size_t)source->names + 1, 3 * sizeof(*all));
	double *inside = all;
	int err = all ? 0 : -ENOMEM;

	*count = 0;
	if (!err) {
		mix.total = all + source->names + 1;
		mix.part = mix.total + source->names + 1;
		err = fill(&mix, source);
	}
	if (!err && mix.whole > 0) {
		score(&mix);
		*count = rank(&mix, inside, unusual);
	}
	free(mix.cells);
	free(all);
	return err;
}
