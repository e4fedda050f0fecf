/*
 * The shape of a run: the load of a counter over time, and the moment that stands out by its load.
 * Times are those of struct timeline.
 */
#ifndef RUNTIME_OUTPUT_REPORT_LOAD_CURVE_H
#define RUNTIME_OUTPUT_REPORT_LOAD_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#define LOAD_COLUMNS_MAX 160u

struct call_tree;
struct timeline;
struct timeline_sample;

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

#endif
