/*
 * Limits of a comparison, as --fail-above takes them.  The interval decides, not the estimate: a
 * change is above a limit only if all of its interval is.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compare/comparison.h"
#include "runtime/compare/comparison_words.h"

#define LIMIT_MOST 1e6
#define ROUNDING   1e-9 /* a change of exactly the limit is not above it */

int comparison_limit_parse(char *text, struct comparison_limit *limit, char *line, size_t bytes)
{
	char *sign = strrchr(text, '=');
	char *number = sign ? sign + 1 : text;
	char *end = number;
	double percent = 0;

	if (isdigit((unsigned char)*number) || *number == '.')
		percent = strtod(number, &end);
	if (end != number && *end == '%')
		end++;
	if (end == number || *end || !(percent > 0) || percent > LIMIT_MOST || sign == text) {
		snprintf(line, bytes,
			 "--fail-above is '%.80s', not PERCENT or NAME=PERCENT (3%%, compute=5%%)",
			 text);
		return -EINVAL;
	}
	if (sign)
		*sign = '\0';
	*limit = (struct comparison_limit){ .name = sign ? text : NULL, .percent = percent };
	return 0;
}

static const struct changes_value *find_counter(const struct comparison *comparison,
						const char *name)
{
	for (size_t i = 0; i < comparison->counter_count; i++)
		if (!strcmp(comparison->counters[i].name, name))
			return &comparison->counters[i].changes.whole;
	return NULL;
}

static const struct changes_value *find_function(const struct comparison *comparison,
						 const char *name)
{
	for (size_t i = 0; i < comparison->counter_count; i++) {
		const struct changes_function *function =
			changes_find(&comparison->counters[i].changes, name);

		if (function)
			return &function->total;
	}
	return NULL;
}

static const struct changes_value *find(const struct comparison *comparison, const char *name)
{
	const struct changes_value *value;

	for (size_t i = 0; i < comparison->measure_count; i++)
		if (!strcmp(comparison->measures[i].name, name))
			return &comparison->measures[i].result;
	value = find_counter(comparison, name);
	return value ? value : find_function(comparison, name);
}

/* The whole of the first counter, or the first measure if there is none. */
static const struct changes_value *find_whole(const struct comparison *comparison,
					      const char **name)
{
	*name = "the whole";
	if (comparison->counter_count) {
		*name = comparison_counter_name(&comparison->counters[0]);
		return &comparison->counters[0].changes.whole;
	}
	if (!comparison->measure_count)
		return NULL;
	*name = comparison->measures[0].name;
	return &comparison->measures[0].result;
}

/* What was not there before grew beyond any limit, if it is significant that it is there now. */
static enum comparison_answer judge(const struct statistics_change *change, double limit)
{
	limit += ROUNDING;
	if (!(change->mean[0] > 0) && change->low > 0)
		return COMPARISON_ABOVE;
	if (change->relative_low > limit)
		return COMPARISON_ABOVE;
	return change->relative_high <= limit ? COMPARISON_BELOW : COMPARISON_UNDECIDED;
}

int comparison_check(const struct comparison *comparison, const struct comparison_limit *limit,
		     char *line, size_t bytes)
{
	static const char *const answers[] = {
		[COMPARISON_BELOW] = "not above the limit of",
		[COMPARISON_ABOVE] = "above the limit of",
		[COMPARISON_UNDECIDED] = "undecided, more runs are needed: the limit is",
	};
	const char *name = limit->name;
	const struct changes_value *value =
		name ? find(comparison, name) : find_whole(comparison, &name);
	char percent[COMPARISON_NUMBER_BYTES], interval[COMPARISON_INTERVAL_BYTES];
	char confidence[COMPARISON_NUMBER_BYTES];
	enum comparison_answer answer;

	if (!value) {
		if (limit->name)
			snprintf(line, bytes,
				 "--fail-above %.200s: no measure, counter or function has that "
				 "name",
				 limit->name);
		else
			snprintf(line, bytes, "--fail-above %g: there is nothing to compare",
				 limit->percent);
		return -ENOENT;
	}
	comparison_percent(percent, value->change.relative);
	comparison_interval(interval, &value->change);
	comparison_confidence(confidence, comparison->alpha);
	answer = judge(&value->change, limit->percent / 100);
	snprintf(line, bytes, "%.200s: %s%s (%s interval: %s%s), %s %g %%.", name, percent,
		 isfinite(value->change.relative) ? " %" : "", confidence, interval,
		 strcmp(interval, "-") ? " %" : "", answers[answer], limit->percent);
	return (int)answer;
}
