/*
 * A moment is a round length, and long enough for SAMPLES_PER_MOMENT on average.
 */
#include "runtime/output/report/load_intervals.h"

#include <stdlib.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/time/timeline.h"

#define INTERVALS_LEAST	   8
#define INTERVALS_MOST	   100
#define SAMPLES_PER_MOMENT 30
#define LENGTH_LEAST_NS	   1000000
#define NORMAL		   1.4826 /* standard deviation / median deviation of a normal distribution */

bool load_intervals_take(const struct load_source *source, const struct timeline_sample *sample)
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

bool load_intervals_divide(struct load_intervals *moments, uint64_t from_ns, uint64_t to_ns,
			   size_t samples)
{
	uint64_t most = samples / SAMPLES_PER_MOMENT, first, length;

	if (most > INTERVALS_MOST)
		most = INTERVALS_MOST;
	if (most < INTERVALS_LEAST)
		return false;
	length = round_length((to_ns - from_ns + most - 1) / most);
	first = from_ns / length;
	*moments = (struct load_intervals){ .from_ns = from_ns,
					    .to_ns = to_ns,
					    .length_ns = length,
					    .first = first,
					    .count = (unsigned)((to_ns - 1) / length - first + 1) };
	return moments->count >= INTERVALS_LEAST;
}

unsigned load_intervals_at(const struct load_intervals *moments, uint64_t time_ns)
{
	uint64_t number = time_ns / moments->length_ns;

	if (number <= moments->first)
		return 0;
	number -= moments->first;
	return number < moments->count ? (unsigned)number : moments->count - 1;
}

void load_intervals_bounds(const struct load_intervals *moments, unsigned low, unsigned high,
			   uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = (moments->first + low) * moments->length_ns;
	*to_ns = (moments->first + high + 1) * moments->length_ns;
	if (*from_ns < moments->from_ns)
		*from_ns = moments->from_ns;
	if (*to_ns > moments->to_ns)
		*to_ns = moments->to_ns;
}

static double median_of(double *numbers, unsigned count)
{
	qsort(numbers, count, sizeof(*numbers), maths_ascending);
	return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

struct load_middle load_middle_of(double *numbers, unsigned count)
{
	struct load_middle middle = { .median = median_of(numbers, count) };

	for (unsigned i = 0; i < count; i++)
		numbers[i] = __builtin_fabs(numbers[i] - middle.median);
	middle.deviation = NORMAL * median_of(numbers, count);
	return middle;
}
