/* The names of frames for a script, with the kind of code and the colour class of each. */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_NAMES_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_NAMES_H

#include <stddef.h>

struct json;

/* Write the members "kindNames", "names", "kinds" and "classes" of a JSON object, each on a line of
 * its own.  The first name is the root's, "all", which is no code.  `item` is called between any
 * two elements with the approximate bytes of the last one; may be NULL. */
void graph_names_write(const char *const *names, size_t count,
		       void (*item)(void *context, size_t bytes), void *context, struct json *json);

/* Write the member "legend": the kinds of code that occur. */
void graph_names_legend(const char *const *names, size_t count, struct json *json);

#endif
