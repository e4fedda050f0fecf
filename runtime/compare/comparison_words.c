/*
 * Numbers are written for columns: all values of a table have one unit and the same decimals, and
 * percentages have one decimal, or two below one percent.
 */
#include "runtime/compare/comparison_words.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MOST	    99999.5
#define LIST_BYTES(changes) ((changes)->count * sizeof(*(changes)->functions))

struct step {
	double divisor;
	const char *word;
	const char *cell;
};

static const struct step *steps_of(const char *unit)
{
	static const struct step times[] = {
		{ 1, "ns", "ns" }, { 1e3, "us", "us" }, { 1e6, "ms", "ms" }, { 1e9, "s", "s" }
	};
	static const struct step bytes[] = { { 1, "bytes", "B" },
					     { 1024, "KiB", "KiB" },
					     { 1048576, "MiB", "MiB" },
					     { 1073741824, "GiB", "GiB" } };
	static const struct step counts[] = { { 1, "", "" },
					      { 1e3, "thousand", "k" },
					      { 1e6, "million", "M" },
					      { 1e9, "billion", "G" } };

	return !strcmp(unit, "ns") ? times : !strcmp(unit, "bytes") ? bytes : counts;
}

struct comparison_scale comparison_scale(const char *unit, double largest, bool fractions)
{
	const struct step *step = steps_of(unit);
	unsigned i = 0;

	while (i < 3 && largest / step[i].divisor >= VALUE_MOST)
		i++;
	largest /= step[i].divisor;
	return (struct comparison_scale){
		.divisor = step[i].divisor,
		.word = step[i].word,
		.cell = step[i].cell,
		.decimals = i == 0	      ? fractions
			    : largest >= 1000 ? 1
			    : largest >= 100  ? 2
					      : 3,
	};
}

double comparison_larger(const struct statistics_change *change)
{
	return change->mean[0] > change->mean[1] ? change->mean[0] : change->mean[1];
}

void comparison_value(char text[COMPARISON_NUMBER_BYTES], const struct comparison_scale *scale,
		      double value, bool sign)
{
	if (isfinite(value))
		snprintf(text, COMPARISON_NUMBER_BYTES, sign ? "%+.*f" : "%.*f", scale->decimals,
			 value / scale->divisor);
	else
		snprintf(text, COMPARISON_NUMBER_BYTES, "-");
}

void comparison_percent(char text[COMPARISON_NUMBER_BYTES], double ratio)
{
	double percent = 100 * ratio, size = fabs(percent);
	int decimals = size < .995 ? 2 : size < 999.5 ? 1 : 0;

	if (isnan(ratio))
		snprintf(text, COMPARISON_NUMBER_BYTES, "-");
	else if (isinf(ratio))
		snprintf(text, COMPARISON_NUMBER_BYTES, "%s", ratio > 0 ? "new" : "-");
	else if (size >= 1e6)
		snprintf(text, COMPARISON_NUMBER_BYTES, "%s999999", ratio > 0 ? ">" : "<-");
	else
		snprintf(text, COMPARISON_NUMBER_BYTES, "%+.*f", decimals, percent);
}

void comparison_interval(char text[COMPARISON_INTERVAL_BYTES],
			 const struct statistics_change *change)
{
	char low[COMPARISON_NUMBER_BYTES], high[COMPARISON_NUMBER_BYTES];

	/* nothing shrinks by more than all of it */
	comparison_percent(low, change->relative_low < -1 ? -1 : change->relative_low);
	comparison_percent(high, change->relative_high);
	if (!isfinite(change->relative_low))
		snprintf(text, COMPARISON_INTERVAL_BYTES, "-");
	else if (!isfinite(change->relative_high))
		snprintf(text, COMPARISON_INTERVAL_BYTES, "> %s", low);
	else
		snprintf(text, COMPARISON_INTERVAL_BYTES, "%s to %s", low, high);
}

void comparison_confidence(char text[COMPARISON_NUMBER_BYTES], double alpha)
{
	snprintf(text, COMPARISON_NUMBER_BYTES, "%.10g %%", 100 * (1 - alpha));
}

const char *comparison_counter_name(const struct comparison_counter *counter)
{
	if (counter->name[0])
		return counter->name;
	return counter->unit[0] ? counter->unit : "the total";
}

/* Half the width of the interval, which a change has to exceed to be significant.  That of the
 * ratio would depend on the change that was found. */
static void write_smallest(char *text, size_t bytes, const struct statistics_change *change)
{
	double half = (change->high - change->low) / 2 / change->mean[0];

	if (half < 1)
		snprintf(text, bytes,
			 "the smallest change that these runs could have shown: about %.*f %%",
			 half < .00995 ? 2 : 1, 100 * half);
	else
		snprintf(text, bytes, "these runs could hardly have shown a change");
}

/* Write "rose by 8.0 %". */
static void write_direction(char *text, size_t bytes, const struct statistics_change *change)
{
	char percent[COMPARISON_NUMBER_BYTES];

	comparison_percent(percent, change->relative);
	snprintf(text, bytes, "%s by %s %%", change->change > 0 ? "rose" : "fell",
		 percent + (percent[0] == '+' || percent[0] == '-'));
}

void comparison_sentence(char text[COMPARISON_SENTENCE_BYTES], const char *name,
			 const struct changes_value *value, double alpha)
{
	const struct statistics_change *change = &value->change;
	char interval[COMPARISON_INTERVAL_BYTES], percent[COMPARISON_NUMBER_BYTES];
	char confidence[COMPARISON_NUMBER_BYTES], smallest[128], direction[64];

	comparison_percent(percent, change->relative);
	comparison_interval(interval, change);
	comparison_confidence(confidence, alpha);
	if (isnan(change->low))
		snprintf(text, COMPARISON_SENTENCE_BYTES,
			 "%s: %s %%; whether that is chance is not known", name, percent);
	else if (!value->significant) {
		write_smallest(smallest, sizeof(smallest), change);
		snprintf(text, COMPARISON_SENTENCE_BYTES,
			 "%s: no difference that %s confidence can tell (%s)", name, confidence,
			 smallest);
	} else if (!isfinite(change->relative))
		snprintf(text, COMPARISON_SENTENCE_BYTES, "%s: there was none before", name);
	else {
		write_direction(direction, sizeof(direction), change);
		snprintf(text, COMPARISON_SENTENCE_BYTES, "%s %s (%s confidence: %s %%)", name,
			 direction, confidence, interval);
	}
}

/* Write behind what is there already. */
__attribute__((format(printf, 2, 3))) static void add(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list list;

	va_start(list, format);
	vsnprintf(text + used, COMPARISON_SENTENCE_BYTES - used, format, list);
	va_end(list);
}

static size_t count_sure(const struct changes *changes)
{
	size_t significant = 0;

	for (size_t i = 0; i < changes->count; i++)
		significant += changes->functions[i].self.significant ||
			       changes->functions[i].total.significant;
	return significant;
}

static void add_functions(char *text, size_t significant)
{
	if (significant)
		add(text,
		    significant == 1 ? "; one function changed significantly"
				     : "; %zu functions changed significantly",
		    significant);
}

static void add_normalized(char *text, const struct changes *changes)
{
	const struct statistics_change *change = &changes->normalized.change;
	char interval[COMPARISON_INTERVAL_BYTES], direction[64];

	comparison_interval(interval, change);
	write_direction(direction, sizeof(direction), change);
	add(text, "; normalized it %s (%s %%)", direction, interval);
}

void comparison_counter_sentence(char text[COMPARISON_SENTENCE_BYTES],
				 const struct comparison_counter *counter,
				 const struct changes_value *whole)
{
	const struct changes *changes = &counter->changes;
	size_t significant = count_sure(changes);

	comparison_sentence(text, comparison_counter_name(counter), whole, changes->alpha);
	if (!whole->significant)
		add_functions(text, significant);
	if (changes->speed.of_run && changes->normalized.significant && significant)
		add_normalized(text, changes);
}

static void tell_alike(char *text, const char *of, const struct comparison_counter *counter)
{
	char percent[COMPARISON_NUMBER_BYTES];

	comparison_percent(percent, counter->changes.speed.shift.relative);
	snprintf(text, COMPARISON_SENTENCE_BYTES,
		 "Most functions%s%s changed alike, by about %s %%", of, counter->name, percent);
}

const char *comparison_normalized(char text[COMPARISON_SENTENCE_BYTES],
				  const struct comparison_counter *counter)
{
	const struct speed_factor *speed = &counter->changes.speed;
	const char *of = counter->name[0] ? " of " : "";

	if (speed->alike) {
		tell_alike(text, of, counter);
		return "Look for what they share: the input, the compiler's options, or the speed "
		       "of the machine (flametrap ab makes runs in turns)";
	}
	if (!speed->of_run)
		return NULL;
	snprintf(text, COMPARISON_SENTENCE_BYTES,
		 "Functions%s%s are compared normalized: alike in all of them, runs took up to "
		 "%.*f times as long as others",
		 of, counter->name, speed->slowest < 1.095 ? 2 : 1, speed->slowest);
	return "What changed all functions alike shows in the whole only";
}

void comparison_method(char text[COMPARISON_SENTENCE_BYTES], const struct changes *changes)
{
	char confidence[COMPARISON_NUMBER_BYTES];

	comparison_confidence(confidence, changes->alpha);
	snprintf(text, COMPARISON_SENTENCE_BYTES,
		 "Method: %s; %zu run%s before, %zu after; %s confidence",
		 statistics_method_name(changes->method), changes->runs[0],
		 changes->runs[0] == 1 ? "" : "s", changes->runs[1], confidence);
}

const char *comparison_caution(enum statistics_method method)
{
	if (method == STATISTICS_SAMPLING)
		return "One run a side: variation between runs is unknown, only sampling is "
		       "considered.\nTake several runs a side (flametrap ab).";
	if (method == STATISTICS_ONE)
		return "One side is of one run, which is taken to vary as the runs of the other "
		       "side.\nTake several runs a side (flametrap ab).";
	return NULL;
}

const struct changes_value *comparison_row(const struct comparison_rows *rows, size_t row)
{
	const struct changes_function *function = &rows->changes.functions[row];

	return rows->total ? &function->total : &function->self;
}

int comparison_rows(const struct changes *changes, bool total, struct comparison_rows *rows)
{
	*rows = (struct comparison_rows){ .changes = *changes, .total = total };
	rows->changes.functions = malloc(LIST_BYTES(changes) + 1);
	if (!rows->changes.functions)
		return -ENOMEM;
	if (changes->count)
		memcpy(rows->changes.functions, changes->functions, LIST_BYTES(changes));
	changes_order(&rows->changes, total);
	for (size_t i = 0; i < changes->count; i++) {
		const struct changes_value *value = comparison_row(rows, i);

		rows->significant += value->significant;
		rows->changed += value->significant || fabs(value->change.change) > 0;
	}
	return 0;
}

void comparison_rows_free(struct comparison_rows *rows)
{
	free(rows->changes.functions);
	rows->changes.functions = NULL;
}

size_t comparison_rows_count(const struct comparison_rows *rows,
			     const struct comparison_shown *shown)
{
	return shown->all || !rows->changes.has_intervals ? rows->changed : rows->significant;
}

size_t comparison_rows_shown(const struct comparison_rows *rows,
			     const struct comparison_shown *shown)
{
	size_t count = comparison_rows_count(rows, shown);

	return shown->rows && count > shown->rows ? shown->rows : count;
}
