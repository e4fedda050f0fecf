/*
 * The samples of a counter as unusual moments are looked for in them.  The page does the same
 * (viewer_pieces.js), of the threads that are shown there.
 *
 * One record may stand for many samples.  It is one observation all the same, so that chance is
 * judged by records, and it belongs to all pieces of the time that it stands for.
 */
#ifndef RUNTIME_OUTPUT_REPORT_INTERVAL_RECORDS_H
#define RUNTIME_OUTPUT_REPORT_INTERVAL_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#define INTERVAL_FEATURES 64u /* functions that are told apart; the last stands for all others */

struct load_source;

struct interval_record {
	double time_ns;
	double span_ns; /* the time that it stands for, which ends at its own; 0: not known */
	double samples; /* at least 1 */
	double value;	/* in the counter's unit */
	uint32_t node;
	unsigned feature;
};

/* All of a counter, in the order of time. */
struct interval_records {
	struct interval_record *list;
	size_t count;
	double from_ns, to_ns;
	double mean_ns; /* the time that a sample stands for */
	double lump;	/* samples that come together */
};

/* Samples, and records, by piece and feature: counts.samples[piece * MOMENT_FEATURES + feature]. */
struct interval_counts {
	double *samples;
	double *records;
};

/* Returns 0, or -ENOMEM.  Release the records with interval_records_free() in both cases. */
int interval_records_read(const struct load_source *source, struct interval_records *records);
void interval_records_free(struct interval_records *records);

/* Returns the index of the first record at or after a time; the count if there is none. */
size_t interval_records_at(const struct interval_records *records, double time_ns);

/* Count by `pieces` equal parts of the time.  Returns 0, or -ENOMEM.  Release the counts with
 * moment_counts_free() in both cases. */
int interval_counts_make(const struct interval_records *records, unsigned pieces,
			 struct interval_counts *counts);
void interval_counts_free(struct interval_counts *counts);

/* Join each `factor` pieces, a power of two, of so many to one. */
void interval_counts_join(struct interval_counts *counts, unsigned pieces, unsigned factor);

#endif
