/*
 * The shape of a run: the load of a counter over time, and the moment that stands out by its load.
 * Times are those of struct timeline.
 */
#ifndef RUNTIME_OUTPUT_REPORT_LOAD_CURVE_H
#define RUNTIME_OUTPUT_REPORT_LOAD_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/output/report/load_intervals.h"

#define LOAD_COLUMNS_MAX 160u

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

/* Find the shape of a counter, with at most `columns` columns (1 to SHAPE_COLUMNS_MAX). */
void load_curve_find(const struct load_source *source, unsigned columns, struct load_curve *shape);

#endif
