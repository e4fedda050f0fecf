/*
 * Unusual moments of a run: the parts whose stacks or load differ most from the rest.  The page
 * finds the same ones with the same words (viewer_moments.js).
 */
#ifndef RUNTIME_OUTPUT_REPORT_INTERVALS_H
#define RUNTIME_OUTPUT_REPORT_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_tree;
struct profile;
struct timeline;
struct timeline_sample;

/*
 * The shape of a run: the load of a counter over time, and the moment that stands out by its load.
 * Times are those of struct timeline.
 */
#define LOAD_COLUMNS_MAX 160u

/* What a shape is made of. */
struct load_source {
	const struct timeline *timeline;
	const struct call_tree *calls; /* has the nodes of the timeline */
	uint32_t names;		       /* numbers of names given out */
	uint32_t counter;
	bool lasts; /* a sample stands for the nanoseconds before it, as many as its events: of a
		     * clock, all of which a thread can have used at the earliest then, and of a
		     * wait */
	bool waits; /* the counter's samples have no unusual moments, because all of them end in the
		     * scheduler */
};

/* Returns true for a sample of the counter whose stack is selected. */
bool load_source_takes(const struct load_source *source, const struct timeline_sample *sample);

/* Loads are events per ns: of a clock, the number of busy processors. */
struct load_curve {
	uint64_t from_ns, to_ns;
	unsigned columns;	       /* 0: too few samples for a shape, and nothing else is set */
	double load[LOAD_COLUMNS_MAX]; /* by column, each an equal part of the time */
	double peak;		       /* the largest of them */
	bool has_busiest;	       /* one moment stands out by its load */
	uint64_t busiest_from_ns, busiest_to_ns;
	double busiest_load, usual_load; /* the latter is the median */
};

/* Find the shape of a counter, with at most `columns` columns (1 to LOAD_COLUMNS_MAX). */
void load_curve_find(const struct load_source *source, unsigned columns, struct load_curve *shape);

#define INTERVAL_FEATURES 64u /* functions that are told apart; the last stands for all others */

struct interval_record {
	double time_ns;
	double span_ns; /* the time that it stands for, which ends at its own; 0: not known */
	double samples; /* at least 1 */
	double value;	/* in the counter's unit */
	uint32_t node;
	unsigned feature;
};

/* The samples of a counter as unusual moments are looked for in them, in the order of time.  The
 * page does the same (viewer_moments.js), of the threads that are shown there.
 *
 * One record may stand for many samples.  It is one observation all the same, so that chance is
 * judged by records, and it belongs to all pieces of the time that it stands for. */
struct interval_records {
	struct interval_record *list;
	size_t count;
	double from_ns, to_ns;
	double mean_ns; /* the time that a sample stands for */
	double lump;	/* samples that come together */
};

/* Samples, and records, by piece and feature: counts.samples[piece * INTERVAL_FEATURES + feature].
 */
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
 * interval_counts_free() in both cases. */
int interval_counts_make(const struct interval_records *records, unsigned pieces,
			 struct interval_counts *counts);
void interval_counts_free(struct interval_counts *counts);

/* Join each `factor` pieces, a power of two, of so many to one. */
void interval_counts_join(struct interval_counts *counts, unsigned pieces, unsigned factor);

#define INTERVALS_KINDS_MAX (INTERVAL_FEATURES + 2) /* a function each, quiet, busy */

enum interval_kind {
	INTERVAL_NONE,	  /* nothing is unusual */
	INTERVAL_UNKNOWN, /* there are no samples, of which nothing follows */
	INTERVAL_MIX,	  /* a function has a much larger share than of the whole run */
	INTERVAL_QUIET,	  /* nearly no samples */
	INTERVAL_BUSY,	  /* many samples */
};

struct interval {
	enum interval_kind kind;
	unsigned feature; /* of INTERVAL_MIX: the function */
	double from_ns, to_ns;
	double length_ns; /* of the pieces that it was found in */
	double effect;	  /* how unusual it is, up to 1 */
	double samples;	  /* records in it; of a load, the usual number */
	double count;	  /* of those, of the function; of a load, all */
	double usual;	  /* share of the function in the whole run */
};

/* Moments that are unusual in the same way, in the order of time. */
struct intervals_alike {
	struct interval *list;
	unsigned count;
	double score;
};

/* All kinds, the most unusual first. */
struct intervals {
	struct intervals_alike kinds[INTERVALS_KINDS_MAX];
	unsigned count;
};

/* Find them.  Returns 0, or -ENOMEM.  Release with intervals_free() in both cases. */
int intervals_find(const struct interval_records *records, struct intervals *moments);
void intervals_free(struct intervals *moments);

/* Returns the one of a kind that shows it best. */
const struct interval *intervals_typical(const struct intervals_alike *alike);

/* What is unusual in moments, in the words of the page (explain() in viewer_moments.js). */
#define INTERVAL_TIMES_BYTES 160

struct interval_words {
	enum interval_kind kind;
	uint64_t from_ns, to_ns; /* of the typical one */
	unsigned count;		 /* of moments that are alike */
	uint64_t every_ns;	 /* they come at regular times; 0: they do not */
	/* A number of the string table: the function that has more, or in which threads waited; 0:
	 * none. */
	uint32_t name;
	double share, usual; /* of INTERVAL_MIX: what the function has then, and in the whole run */
	char times[INTERVAL_TIMES_BYTES]; /* "3 times 20 ms to 50 ms, every 2 s" */
};

/* What the whole run has by node; all zeros is none. */
struct interval_sums {
	double *total; /* by node of the source's calls, with its callees */
	double waited; /* of them, off the processor */
};

/* Sum up between two times.  `profile`: also what was spent off the processor; NULL: the records
 * alone.  Returns 0, or -ENOMEM.  Release with interval_sums_free() in both cases. */
int interval_sums_make(const struct load_source *source, const struct interval_records *records,
		       const struct profile *profile, double from_ns, double to_ns,
		       struct interval_sums *sums);
void interval_sums_free(struct interval_sums *sums);

/* Explain moments that are alike.  `whole`: the sums of the whole run.  Returns 0 or -ENOMEM. */
int intervals_explain(const struct load_source *source, const struct profile *profile,
		      const struct interval_records *records, const struct interval_sums *whole,
		      const struct intervals_alike *alike, struct interval_words *words);

#endif
