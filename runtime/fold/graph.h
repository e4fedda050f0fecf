/*
 * The flame graph: one self-contained SVG file with search, zoom and reset.
 */
#ifndef RUNTIME_FOLD_GRAPH_H
#define RUNTIME_FOLD_GRAPH_H

#include <stdbool.h>
#include <stdio.h>

struct stacks;

enum graph_colors { GRAPH_COLORS_HOT, GRAPH_COLORS_SAFE, GRAPH_COLORS_GREY };

/* Two counters of the same stacks as those that are drawn, to colour frames by what each frame,
 * with all that it called, counted of one for what it counted of the other. */
struct graph_ratio {
	const char *title;	/* "page-faults per ms of task-clock": what its numbers count */
	const char *by_name;	/* the latter counter's */
	double scale;		/* what of / by is multiplied by */
	struct stacks *of;	/* sorted; events */
	struct stacks *by;	/* likewise */
	struct stacks *samples; /* how many samples `by` rests on; NULL: not known */
	unsigned fewest;	/* frames with fewer have no ratio */
};

struct graph_options {
	const char *title;	  /* NULL: "Flame graph" */
	const char *notes;	  /* one line under the title; NULL: none */
	const char *unit;	  /* what a value counts: "samples", "ns"; NULL: "samples" */
	const char *counter;	  /* what the reader chooses it by among others; NULL: no others */
	bool inverted;		  /* icicle: outermost on top */
	double min_width_percent; /* narrower frames are left out of the file; 0: a default */
	enum graph_colors colors;
	unsigned width_px;		  /* of the picture where no script runs; 0: a default */
	const struct graph_ratio *ratios; /* to be chosen by the reader; `counter` is needed then */
	unsigned ratio_count;
	bool by_ratio; /* the first of them is shown at first */
};

/* Write the flame graph of sorted stacks to file.  The result is valid XML whatever the names
 * hold.  Returns 0, or -EIO, -ENOMEM, or -ENODATA when there is nothing to draw (a picture that
 * says so is written all the same). */
int graph_write(struct stacks *stacks, const struct graph_options *options, FILE *file);

/* One of several counters of a profile. */
struct graph_choice {
	const char *counter;
	const char *notes;
	const char *unit;
	struct stacks *stacks; /* sorted */
	const struct graph_ratio *ratios;
	unsigned ratio_count;
};

/* The same for several counters, among which the reader of the picture chooses; the first that
 * counted something is shown.  Of the options, counter, notes, unit and ratios are not looked at.
 */
int graph_write_choice(const struct graph_choice *choices, unsigned count,
		       const struct graph_options *options, FILE *file);

/* The same for two sorted profiles: widths are those of `after`, colours tell how each frame's
 * share of the whole changed: red for more, blue for less.  options->colors is not looked at. */
int graph_write_diff(struct stacks *before, struct stacks *after,
		     const struct graph_options *options, FILE *file);

#endif
