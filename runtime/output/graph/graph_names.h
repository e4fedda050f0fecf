/*
 * The names of frames for a script, with the kind of code and the colour class of each.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_NAMES_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_NAMES_H

#include <stddef.h>

struct graph_legend;
struct json;

/* The first is the root's, "all", which is no code. */
struct graph_names {
	const char *const *list;
	size_t count;
};

/* Write the members "names", "kinds" and "classes" of a JSON object, each on a line of its own.
 * `item` is called between any two elements with the approximate bytes of the last one; may be
 * NULL. */
void graph_names_write(const struct graph_names *names, void (*item)(void *context, size_t bytes),
		       void *context, struct json *json);

/* Write the member "kindNames". */
void graph_names_kinds(struct json *json);

/* Add the kinds of code that occur. */
void graph_names_legend(const struct graph_names *names, struct graph_legend *legend);

#endif
