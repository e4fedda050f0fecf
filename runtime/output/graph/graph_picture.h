/* The picture that needs no script, while it is made: what its writers share. */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_PICTURE_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/output/graph/graph_diff.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_ratio.h"
#include "runtime/profile/symbols/frame_kind.h"

struct frame_tree;
struct graph_options;
struct graph_view;

#define GRAPH_PICTURE_MARGIN_PX 10
#define GRAPH_PICTURE_ROW_PX	18

struct graph_picture {
	struct frame_tree *tree;
	struct graph_diff diff; /* no changes: no comparison */
	const struct graph_options *options;
	const struct graph_view *views; /* NULL: one profile only */
	unsigned choice_count;
	FILE *file;
	uint64_t total; /* width of the root */
	uint64_t kept;	/* least value that the data includes */
	uint64_t drawn; /* least value that is visible in the picture */
	double scale;	/* pixels for one unit of value */
	double head;	/* pixels above the frames */
	size_t levels;	/* number of levels drawn */
	bool kinds[FRAME_KINDS];
	struct graph_legend legend;
	struct graph_ratio_frames ratio; /* ratios that colour the picture; none: no ratio */
	size_t at;			 /* index of the frame to be drawn next */
};

/* Returns the unit of the picture's values. */
const char *graph_picture_unit(const struct graph_picture *picture);

/* Walk over the frames of at least `kept`: to find out how many levels are drawn and which kinds
 * of code there are; and to draw them.  `graph_picture_draw` needs all other fields.  Each returns
 * 0, -EIO or -ENOMEM. */
int graph_picture_measure(struct graph_picture *picture);
int graph_picture_draw(struct graph_picture *picture);

/* Write a name, or a short form that fits into `cells` cells, of which the distinctive part is kept
 * longest: without template arguments, then also without call arguments, then cut; code without a
 * name keeps its address.  The script does the same (labelFor in graph_words.js).  Safe inside an
 * XML element. */
void graph_picture_label(FILE *file, const char *name, size_t bytes, size_t cells);

/* Mark time off the CPU as a separate kind, whatever the names of its frames are: copy sorted
 * stacks and add FRAME_KIND_WAITING_SUFFIX to every name below a frame [off-CPU] that has no kind
 * of its own.  Returns 0 with *apart, to be freed with frame_tree_free(); 0 with NULL if there is
 * no such frame; or -ENOMEM. */
int graph_apart(struct frame_tree *tree, struct frame_tree **apart);

#endif
