/*
 * The names of frames for a script, with the kind of code and the colour class of each.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_NAMES_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_NAMES_H

#include <stddef.h>
#include <stdio.h>

struct graph_legend;

/* The first is the root's, "all", which is no code. */
struct graph_names {
	const char *const *list;
	size_t count;
};

/* Write the members "names", "kinds" and "classes" of a JSON object, with a comma before each.
 * `item` is called between any two elements with the approximate bytes of the last one; may be
 * NULL. */
void graph_names_write(const struct graph_names *names, void (*item)(void *context, size_t bytes),
		       void *context, FILE *file);

/* Write the member "kindNames", with a comma before it. */
void graph_names_kinds(FILE *file);

/* Add the kinds of code that occur. */
void graph_names_legend(const struct graph_names *names, struct graph_legend *legend);

#endif
