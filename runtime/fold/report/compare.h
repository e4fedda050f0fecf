/*
 * Two profiles side by side, as a table: which functions' shares of the whole changed, and
 * whether chance alone could have done it.
 */
#ifndef RUNTIME_FOLD_REPORT_COMPARE_H
#define RUNTIME_FOLD_REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct frame_tree;

struct compare_options {
	unsigned rows;	  /* in each table; 0: all */
	unsigned columns; /* width of a line; names that do not fit are cut; 0: no limit */
	bool samples;	  /* values count samples: only then noise can be told */
	const char *unit; /* what a value counts: "samples", "ns"; NULL: "samples" */
};

/* How many standard errors apart part_a of whole_a and part_b of whole_b are, if both are
 * samples of the same share (two-proportion z); positive when the second is larger. */
double compare_z(uint64_t part_a, uint64_t whole_a, uint64_t part_b, uint64_t whole_b);

/* Whether a z is beyond noise: less than one chance in twenty that any of so many equal shares
 * would look that different. */
bool compare_is_beyond_noise(double z, size_t shares);

/* Write how much the whole changed, and the largest changes of functions' own and total shares with
 * their values.  Noise (noise.h) is one line of its own and no part of shares and marks.
 * Returns 0, -EIO, -ENOMEM, or -ENODATA when one of the profiles is empty. */
int compare_write(struct frame_tree *before, struct frame_tree *after,
		  const struct compare_options *options, FILE *file);

#endif
