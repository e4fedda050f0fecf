/*
 * Draws a comparison from its runs: as a flame graph, or as a page.
 */
#ifndef RUNTIME_OUTPUT_PAGE_DIFFERENCE_DRAW_H
#define RUNTIME_OUTPUT_PAGE_DIFFERENCE_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct comparison;
struct graph_options;
struct runs;

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

/* Write the page of all counters.  Returns 0 or -errno as difference_page_write(). */
int difference_draw_page(const struct difference_draw *draw, FILE *file);

#endif
