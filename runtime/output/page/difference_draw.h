/*
 * Draws a comparison from its runs: as a flame graph, or as a page, which is one self-contained
 * file that a browser shows without a network.
 *
 * A page is built as viewer_data.h says, from difference.js.  Its data are a JSON text and no
 * columns:
 *
 *   { "format": 1,
 *     "labels":   [before, after]        file names or command lines
 *     "runs":     [before, after]        how many
 *     "paired": bool, "confidence": percent
 *     "verdict":  [sentence, …]          without their full stops; the first is the answer
 *     "notes":    [text, …]              whole sentences
 *     "measures": [{ "name", "unit", "context": bool, "value": VALUE,
 *                    "runs": [[number, …], [number, …]],
 *                    "drift": [[relative, chance], …], "outliers": [n, n] }, …]
 *     "counters": [{ "name", "unit", "method", "whole": VALUE, "noise": VALUE,
 *                    "functions": [name, VALUE, VALUE, …]     itself, and with callees
 *                    "diff": as in graph_data.h, or absent: no graph
 *                    "frames": [pop, name, before, after, low, high, class, …] }, …]
 *     "names", "kinds", "classes", "kindNames": as in graph_data.h; names[0] is the root's
 *   }
 *
 * VALUE is [before, after, low, high, relative low, relative high, tested, significant]: means per
 * run, the interval of after - before and of its ratio to before, and 0 or 1.  A number that is not
 * known or not finite is null.  Frames come parents first; `pop` is the number of levels to leave
 * before entering this one.  Names are data: the script puts them into the page as text only.
 */
#ifndef RUNTIME_OUTPUT_PAGE_DIFFERENCE_DRAW_H
#define RUNTIME_OUTPUT_PAGE_DIFFERENCE_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct changes;
struct changes_function;
struct comparison;
struct frame;
struct graph_options;
struct runs;
struct tree_changes;

struct difference_draw {
	const struct comparison *comparison;
	bool reverse; /* stacks, behind `outer` frames */
	size_t outer;
};

/* Returns whether a path asks for a page by its ending, ".html". */
bool difference_draw_is_page(const char *path);

/* Write the flame graph of one counter, which need not be the comparison's.  Without notes it has
 * its own, about what widths and colours show.  Returns 0 or -errno as graph_write_diff() and
 * tree_changes_make(). */
int difference_draw_graph(const struct difference_draw *draw, const struct runs *runs,
			  const struct graph_options *options, FILE *file);

/* Write the page of all counters.  Returns 0, -EIO or -errno as
 * tree_changes_make(). */
int difference_draw_page(const struct difference_draw *draw, FILE *file);

/* Write the JSON text of a page alone.  `trees` has the changes by frame of each counter; NULL:
 * that counter has no graph.  It is valid UTF-8, whatever bytes the names hold.  Returns 0 or
 * -ENOMEM. */
int difference_json(const struct comparison *comparison, const struct tree_changes *const *trees,
		    FILE *file);

/*
 * What the page of a comparison leaves out, so that a browser opens it whatever the profiles hold.
 *
 * A counter has room for a number of functions and of frames.  If there are more, those that are
 * small on both sides are left out: the least share doubles until the rest has room.
 */
#define DIFFERENCE_LIMITS_FUNCTIONS 20000  /* of all counters together */
#define DIFFERENCE_LIMITS_FRAMES    100000 /* likewise */
#define DIFFERENCE_LIMITS_FRAME	    1e-5   /* of the whole: smaller frames are always left out */

/* Shares of the whole, 0 … 1, with callees. */
struct difference_limits {
	double function;
	double frame;
	double lost; /* of all frames that are left out together */
};

/* Returns the limits of one of so many counters.  `tree` may be NULL. */
struct difference_limits difference_limits_find(const struct changes *changes,
						const struct tree_changes *tree, size_t counters);

/* Returns whether a function is large enough on one of the sides. */
bool difference_limits_function(const struct difference_limits *limits,
				const struct changes *changes,
				const struct changes_function *function);

/* Returns the next frame that is large enough, in the order of the tree; NULL after the last. */
const struct frame *difference_limits_next(const struct difference_limits *limits,
					   const struct tree_changes *tree,
					   const struct frame *frame);

/* Write a sentence that says which functions and frames of a counter are left out; an empty text if
 * they do not matter.  `name` is the counter's, and may be empty. */
void difference_limits_tell(const struct difference_limits *limits, const char *name, char *text,
			    size_t bytes);

#endif
