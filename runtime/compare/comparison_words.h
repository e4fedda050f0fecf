/* What the writers of a comparison share: units, numbers and sentences for people. */
#ifndef RUNTIME_COMPARE_COMPARISON_WORDS_H
#define RUNTIME_COMPARE_COMPARISON_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compare/comparison.h"

#define COMPARISON_NUMBER_BYTES	  32
#define COMPARISON_SENTENCE_BYTES 512

/* How the values of a table are shown. */
struct comparison_scale {
	double divisor;
	const char *word; /* "ms", "thousand samples" without "samples", or "" */
	const char *cell; /* the same in a cell: "ms", "k" */
	int decimals;
};

/* Returns the scale in which `largest` has up to five digits before the point.  `fractions`: values
 * are means, which need not be whole. */
struct comparison_scale comparison_scale(const char *unit, double largest, bool fractions);

/* Returns the larger mean of a value. */
double comparison_larger(const struct statistics_change *change);

/* Write a value in a scale, a change with its `sign`; "-" for NaN and infinities. */
void comparison_value(char text[COMPARISON_NUMBER_BYTES], const struct comparison_scale *scale,
		      double value, bool sign);

/* Write a ratio in percent with its sign, without "%"; "new" for INFINITY, "-" for NaN. */
void comparison_percent(char text[COMPARISON_NUMBER_BYTES], double ratio);

/* Write "+7.1 to +9.3", the interval of a relative change in percent; "> +7.1" where it has no
 * upper end; "-" where it has none at all. */
#define COMPARISON_INTERVAL_BYTES (2 * COMPARISON_NUMBER_BYTES + 8)
void comparison_interval(char text[COMPARISON_INTERVAL_BYTES],
			 const struct statistics_change *change);

/* Write "99 %": the confidence of a comparison. */
void comparison_confidence(char text[COMPARISON_NUMBER_BYTES], double alpha);

/* Returns a counter's name, or what it counts if it has none. */
const char *comparison_counter_name(const struct comparison_counter *counter);

/* Write a sentence without its end about one value: that it rose or fell, and by how much; or that
 * no difference can be told, and the smallest one that these runs could have shown.  `name` is
 * copied byte by byte. */
void comparison_sentence(char text[COMPARISON_SENTENCE_BYTES], const char *name,
			 const struct changes_value *value, double alpha);

/* Like comparison_sentence(), for the whole of a counter.  Where the whole has no significant
 * change and functions have one, because some took what others gave up, the sentence says so; and
 * how the whole changed normalized with them, if that is significant. */
void comparison_counter_sentence(char text[COMPARISON_SENTENCE_BYTES],
				 const struct comparison_counter *counter,
				 const struct changes_value *whole);

/* Write a sentence without its end about the method of a counter: its name, the numbers of runs,
 * and the confidence.  COMPARISON_BOUND is said beside it. */
#define COMPARISON_BOUND "False marks are bounded over all functions (Benjamini and Hochberg)"
void comparison_method(char text[COMPARISON_SENTENCE_BYTES], const struct changes *changes);

/* Write a sentence without its end about the speed factor of the runs: that functions are compared
 * at one, or that most of them changed alike.  Returns another one, to be said beside it; or NULL
 * if there is nothing to say. */
const char *comparison_normalized(char text[COMPARISON_SENTENCE_BYTES],
				  const struct comparison_counter *counter);

/* Returns what one run a side means for the answer, as lines; NULL if there are more. */
const char *comparison_caution(enum statistics_method method);

/* The functions of a counter in the order for reading, by own values or by those with callees. */
struct comparison_rows {
	struct changes changes; /* a copy, with functions of its own */
	bool total;
	size_t significant; /* how many are; they come first */
	size_t changed;	    /* how many changed at all */
};

/* Returns 0, with rows to be freed with comparison_rows_free(); or -ENOMEM. */
int comparison_rows(const struct changes *changes, bool total, struct comparison_rows *rows);
void comparison_rows_free(struct comparison_rows *rows);

/* Returns the value of a row. */
const struct changes_value *comparison_row(const struct comparison_rows *rows, size_t row);

/* Returns how many rows there are to show: significant ones, or with shown->all those that changed.
 */
size_t comparison_rows_count(const struct comparison_rows *rows,
			     const struct comparison_shown *shown);

/* Returns how many of these are shown: as many as shown->rows says. */
size_t comparison_rows_shown(const struct comparison_rows *rows,
			     const struct comparison_shown *shown);

#endif
