/*
 * Compares two profiles in a table: the functions whose share of the whole changed, and whether
 * chance alone could explain the change.
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
	bool samples;	  /* values count samples: only then noise can be estimated */
	const char *unit; /* unit of a value: "samples", "ns"; NULL: "samples" */
};

/* Returns the difference between part_a of whole_a and part_b of whole_b in standard errors, if
 * both are samples of the same share (two-proportion z).  Positive if the second is larger. */
double compare_z(uint64_t part_a, uint64_t whole_a, uint64_t part_b, uint64_t whole_b);

/* Returns whether a z is beyond noise: the chance that any of `shares` equal shares would differ
 * that much is less than one in twenty. */
bool compare_is_beyond_noise(double z, size_t shares);

/* Returns true if a frame of this name, with its callees, is noise: time that the machine and the
 * profiler took from the program, in interrupts and their deferred work (softirqs), preemption, and
 * sampling itself.  It varies between runs of the same program by more than samples do. */
bool compare_is_noise(const char *name);

/* Write the change of the whole, and the largest changes of the functions' self and total shares
 * with their values.  Noise has its own line and is not part of shares and marks.
 * Returns 0, -EIO, -ENOMEM, or -ENODATA if one of the profiles is empty. */
int compare_write(struct frame_tree *before, struct frame_tree *after,
		  const struct compare_options *options, FILE *file);

#endif
