/*
 * The restricted Damerau-Levenshtein distance.  It needs three rows of the table only.
 */
#include "config/text/distance.h"

#include <stdbool.h>

#define DISTANCE_MAX 63

static unsigned least(unsigned one, unsigned other)
{
	return one < other ? one : other;
}

unsigned text_distance(const char *one, size_t one_length, const char *other, size_t other_length)
{
	unsigned char row[3][DISTANCE_MAX + 1];
	unsigned char *before = row[0];
	unsigned char *last = row[1];
	unsigned char *now = row[2];

	if (one_length > DISTANCE_MAX)
		one_length = DISTANCE_MAX;
	if (other_length > DISTANCE_MAX)
		other_length = DISTANCE_MAX;
	for (size_t j = 0; j <= other_length; j++)
		now[j] = (unsigned char)j;
	for (size_t i = 1; i <= one_length; i++) {
		unsigned char *free_row = before;

		before = last;
		last = now;
		now = free_row;
		now[0] = (unsigned char)i;
		for (size_t j = 1; j <= other_length; j++) {
			bool same = one[i - 1] == other[j - 1];
			unsigned cost = least(last[j] + 1u, now[j - 1] + 1u);

			cost = least(cost, last[j - 1] + (same ? 0u : 1u));
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2] &&
			    one[i - 2] == other[j - 1])
				cost = least(cost, before[j - 2] + 1u);
			now[j] = (unsigned char)cost;
		}
	}
	return now[other_length];
}
