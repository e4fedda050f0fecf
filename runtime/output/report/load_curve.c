/*
 * The load is shown by columns, and judged by moments: equal parts of the time whose length is a
 * round number, so that a moment can be named in few digits.  A moment stands out if it is further
 * from the median than most others are, and further than chance would bring it with as few samples
 * as it has.
 */
#include "runtime/output/report/intervals.h"

#include <stddef.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/time/timeline.h"

#define SAMPLES_LEAST	   60
#define COLUMNS_LEAST	   8
#define SAMPLES_PER_COLUMN 4
#define STANDS_OUT	   5.0	/* standard deviations from the median */
#define BUSIER		   1.25 /* times the median */
#define MOMENTS_LEAST	   8
#define MOMENTS_MOST	   100
#define SAMPLES_PER_MOMENT 30
#define LENGTH_LEAST_NS	   1000000
#define NORMAL		   1.4826 /* standard deviation / median deviation of a normal distribution */
#define MOMENTS_MAX	   128u

/* Equal parts of the time, whose bounds are round numbers. */
struct moments {
	uint64_t from_ns, to_ns; /* the first and the last moment may be shorter */
	uint64_t length_ns;	 /* 1, 2 or 5 times a power of ten */
	uint64_t first;		 /* the first moment begins at first * length_ns, or at from_ns */
	unsigned count;
	double events[MOMENTS_MAX];
	uint32_t samples[MOMENTS_MAX];
};

/* The median of numbers, and the standard deviation that their median distance from it stands for
 * (a third of the numbers may be anything). */
struct middle {
	double median;
	double deviation;
};

bool load_source_takes(const struct load_source *source, const struct timeline_sample *sample)
{
	return sample->counter == source->counter && sample->node && sample->events;
}

/* Returns the first length from `least_ns` on that is 1, 2 or 5 times a power of ten. */
static uint64_t round_length(uint64_t least_ns)
{
	uint64_t ten = LENGTH_LEAST_NS;

	while (ten <= least_ns / 10)
		ten *= 10;
	if (ten >= least_ns)
		return ten;
	if (ten * 2 >= least_ns)
		return ten * 2;
	return ten * 5 >= least_ns ? ten * 5 : ten * 10;
}

/* Divide the time so that a moment has enough of the samples to be judged by.  Returns false if
 * there are too few samples for that. */
static bool divide(struct moments *moments, uint64_t from_ns, uint64_t to_ns, size_t samples)
{
	uint64_t most = samples / SAMPLES_PER_MOMENT, first, length;

	if (most > MOMENTS_MOST)
		most = MOMENTS_MOST;
	if (most < MOMENTS_LEAST)
		return false;
	length = round_length((to_ns - from_ns + most - 1) / most);
	first = from_ns / length;
	*moments = (struct moments){ .from_ns = from_ns,
				     .to_ns = to_ns,
				     .length_ns = length,
				     .first = first,
				     .count = (unsigned)((to_ns - 1) / length - first + 1) };
	return moments->count >= MOMENTS_LEAST;
}

/* Returns the index of the moment that holds a time, or is nearest to it. */
static unsigned moment_at(const struct moments *moments, uint64_t time_ns)
{
	uint64_t number = time_ns / moments->length_ns;

	if (number <= moments->first)
		return 0;
	number -= moments->first;
	return number < moments->count ? (unsigned)number : moments->count - 1;
}

static void find_bounds(const struct moments *moments, unsigned low, unsigned high,
			uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = (moments->first + low) * moments->length_ns;
	*to_ns = (moments->first + high + 1) * moments->length_ns;
	if (*from_ns < moments->from_ns)
		*from_ns = moments->from_ns;
	if (*to_ns > moments->to_ns)
		*to_ns = moments->to_ns;
}

/* Sorts the numbers, at least one. */
static struct middle middle_of(double *numbers, unsigned count)
{
	struct middle middle = { .median = maths_median(numbers, count) };

	for (unsigned i = 0; i < count; i++)
		numbers[i] = __builtin_fabs(numbers[i] - middle.median);
	middle.deviation = NORMAL * maths_median(numbers, count);
	return middle;
}

/* Adds a value to the parts of the time in which a sample lies: to each its share of what lasts.
 * The parts begin at `from_ns`, and each lasts part_ns. */
static void spread(const struct load_source *source, const struct timeline_sample *sample,
		   double from_ns, double part_ns, double *parts, unsigned count)
{
	double end = ((double)sample->time_ns - from_ns) / part_ns;
	double length = source->lasts ? (double)sample->events / part_ns : 0;
	double start = end - length > 0 ? end - length : 0;
	unsigned last = count - 1;

	if (end < 0)
		return;
	if (!source->lasts) {
		parts[end < last ? (unsigned)end : last] += (double)sample->events;
		return;
	}
	for (unsigned i = start < last ? (unsigned)start : last; i < count && i < end; i++) {
		double low = start > i ? start : i, high = end < i + 1 ? end : i + 1;

		if (high > low)
			parts[i] += (high - low) * part_ns;
	}
}

static size_t count_samples(const struct load_source *source)
{
	const struct timeline *timeline = source->timeline;
	size_t count = 0;

	for (size_t i = 0; i < timeline->sample_count; i++)
		count += load_source_takes(source, &timeline->samples[i]);
	return count;
}

static void fill_columns(const struct load_source *source, struct load_curve *shape)
{
	const struct timeline *timeline = source->timeline;
	double part_ns = (double)(shape->to_ns - shape->from_ns) / shape->columns;

	for (size_t i = 0; i < timeline->sample_count; i++)
		if (load_source_takes(source, &timeline->samples[i]))
			spread(source, &timeline->samples[i], (double)shape->from_ns, part_ns,
			       shape->load, shape->columns);
	for (unsigned i = 0; i < shape->columns; i++) {
		shape->load[i] /= part_ns;
		if (shape->load[i] > shape->peak)
			shape->peak = shape->load[i];
	}
}

static void fill_moments(const struct load_source *source, struct moments *moments)
{
	const struct timeline *timeline = source->timeline;
	double from_ns = (double)moments->first * (double)moments->length_ns;

	for (size_t i = 0; i < timeline->sample_count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];

		if (!load_source_takes(source, sample))
			continue;
		spread(source, sample, from_ns, (double)moments->length_ns, moments->events,
		       moments->count);
		moments->samples[moment_at(moments, sample->time_ns)]++;
	}
}

/* Takes the moments beside `at` that are nearly as busy to it. */
static void set_busiest(const struct moments *moments, const double *load, unsigned at,
			double median, struct load_curve *shape)
{
	double enough = (load[at] + median) / 2, events = 0;
	unsigned low = at, high = at;

	while (low && load[low - 1] >= enough)
		low--;
	while (high + 1 < moments->count && load[high + 1] >= enough)
		high++;
	for (unsigned i = low; i <= high; i++)
		events += moments->events[i];
	shape->has_busiest = true;
	find_bounds(moments, low, high, &shape->busiest_from_ns, &shape->busiest_to_ns);
	shape->busiest_load = events / (double)(shape->busiest_to_ns - shape->busiest_from_ns);
	shape->usual_load = median;
}

static void find_busiest(const struct moments *moments, struct load_curve *shape)
{
	double load[MOMENTS_MAX] = { 0 }, sorted[MOMENTS_MAX], chance;
	struct middle middle;
	unsigned at = 0;

	for (unsigned i = 0; i < moments->count; i++) {
		uint64_t from, to;

		find_bounds(moments, i, i, &from, &to);
		load[i] = moments->events[i] / (double)(to - from);
		sorted[i] = load[i];
		if (to - from >= moments->length_ns / 2 && load[i] > load[at])
			at = i;
	}
	if (!moments->samples[at])
		return;
	middle = middle_of(sorted, moments->count);
	chance = load[at] / __builtin_sqrt(moments->samples[at]);
	if (load[at] >= BUSIER * middle.median &&
	    load[at] - middle.median >= STANDS_OUT * (middle.deviation + chance))
		set_busiest(moments, load, at, middle.median, shape);
}

void load_curve_find(const struct load_source *source, unsigned columns, struct load_curve *shape)
{
	size_t samples = count_samples(source);
	struct moments moments;

	*shape = (struct load_curve){ .from_ns = source->timeline->from_ns,
				      .to_ns = source->timeline->end_ns };
	if (columns > samples / SAMPLES_PER_COLUMN)
		columns = (unsigned)(samples / SAMPLES_PER_COLUMN);
	if (samples < SAMPLES_LEAST || shape->to_ns <= shape->from_ns || shape->to_ns > INT64_MAX ||
	    columns < COLUMNS_LEAST)
		return;
	shape->columns = columns < LOAD_COLUMNS_MAX ? columns : LOAD_COLUMNS_MAX;
	fill_columns(source, shape);
	if (!divide(&moments, shape->from_ns, shape->to_ns, samples))
		return;
	fill_moments(source, &moments);
	find_busiest(&moments, shape);
}
