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

struct comparison;
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

#endif
