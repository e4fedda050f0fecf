/*
 * The load is shown by columns, and judged by moments: equal parts of the time whose length is a
 * round number, so that a moment can be named in few digits.  A moment stands out if it is further
 * from the median than most others are, and further than chance would bring it with as few samples
 * as it has.
 */
#include "runtime/output/report/load_curve.h"

#include "runtime/profile/time/timeline.h"

#define SAMPLES_LEAST	   60
#define COLUMNS_LEAST	   8
#define SAMPLES_PER_COLUMN 4
#define STANDS_OUT	   5.0	/* standard deviations from the median */
#define BUSIER		   1.25 /* times the median */

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
		count += load_intervals_take(source, &timeline->samples[i]);
	return count;
}

static void fill_columns(const struct load_source *source, struct load_curve *shape)
{
	const struct timeline *timeline = source->timeline;
	double part_ns = (double)(shape->to_ns - shape->from_ns) / shape->columns;

	for (size_t i = 0; i < timeline->sample_count; i++)
		if (load_intervals_take(source, &timeline->samples[i]))
			spread(source, &timeline->samples[i], (double)shape->from_ns, part_ns,
			       shape->load, shape->columns);
	for (unsigned i = 0; i < shape->columns; i++) {
		shape->load[i] /= part_ns;
		if (shape->load[i] > shape->peak)
			shape->peak = shape->load[i];
	}
}

static void fill_moments(const struct load_source *source, struct load_intervals *moments)
{
	const struct timeline *timeline = source->timeline;
	double from_ns = (double)moments->first * (double)moments->length_ns;

	for (size_t i = 0; i < timeline->sample_count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];

		if (!load_intervals_take(source, sample))
			continue;
		spread(source, sample, from_ns, (double)moments->length_ns, moments->events,
		       moments->count);
		moments->samples[load_intervals_at(moments, sample->time_ns)]++;
	}
}

/* Takes the moments beside `at` that are nearly as busy to it. */
static void set_busiest(const struct load_intervals *moments, const double *load, unsigned at,
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
	load_intervals_bounds(moments, low, high, &shape->busiest_from_ns, &shape->busiest_to_ns);
	shape->busiest_load = events / (double)(shape->busiest_to_ns - shape->busiest_from_ns);
	shape->usual_load = median;
}

static void find_busiest(const struct load_intervals *moments, struct load_curve *shape)
{
	double load[LOAD_INTERVALS_MAX] = { 0 }, sorted[LOAD_INTERVALS_MAX], chance;
	struct load_middle middle;
	unsigned at = 0;

	for (unsigned i = 0; i < moments->count; i++) {
		uint64_t from, to;

		load_intervals_bounds(moments, i, i, &from, &to);
		load[i] = moments->events[i] / (double)(to - from);
		sorted[i] = load[i];
		if (to - from >= moments->length_ns / 2 && load[i] > load[at])
			at = i;
	}
	if (!moments->samples[at])
		return;
	middle = load_middle_of(sorted, moments->count);
	chance = load[at] / __builtin_sqrt(moments->samples[at]);
	if (load[at] >= BUSIER * middle.median &&
	    load[at] - middle.median >= STANDS_OUT * (middle.deviation + chance))
		set_busiest(moments, load, at, middle.median, shape);
}

void load_curve_find(const struct load_source *source, unsigned columns, struct load_curve *shape)
{
	size_t samples = count_samples(source);
	struct load_intervals moments;

	*shape = (struct load_curve){ .from_ns = source->timeline->from_ns,
				      .to_ns = source->timeline->end_ns };
	if (columns > samples / SAMPLES_PER_COLUMN)
		columns = (unsigned)(samples / SAMPLES_PER_COLUMN);
	if (samples < SAMPLES_LEAST || shape->to_ns <= shape->from_ns || shape->to_ns > INT64_MAX ||
	    columns < COLUMNS_LEAST)
		return;
	shape->columns = columns < LOAD_COLUMNS_MAX ? columns : LOAD_COLUMNS_MAX;
	fill_columns(source, shape);
	if (!load_intervals_divide(&moments, shape->from_ns, shape->to_ns, samples))
		return;
	fill_moments(source, &moments);
	find_busiest(&moments, shape);
}
