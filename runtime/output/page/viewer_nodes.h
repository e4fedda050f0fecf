/*
 * The frames of a page: the nodes of the profile's tree that its samples need, with the modules of
 * their code, and where threads wait (wait_sites.h).
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_NODES_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_NODES_H

#include <stdint.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"

struct json;
struct profile_trees;
struct viewer_samples;

/* Numbers are in the order of appearance, so that the same profile gives the same page. */
struct viewer_nodes {
	const struct profile_trees *merge;
	uint32_t *number; /* of a node in the page, by node of merge->calls */
	uint32_t *node;	  /* of merge->calls, by node of the page; the root first */
	uint32_t count;
	const char **names; /* the root's first */
	uint32_t name_count;
	uint32_t *module;	       /* number in `modules`, by node of merge->calls; 0: none */
	struct string_table modules;   /* paths */
	struct map name_numbers;       /* a number of merge->strings to one of `names` */
	struct string_table wait_rows; /* texts: "read_request -> __poll -> do_sys_poll_[k]" */
	uint32_t *wait_function;       /* number in `names`, by row - 1 */
	uint32_t wait_count;
	uint32_t *wait; /* row, by node of the page; 0: no wait ends in it */
};

/* The arguments must outlive the result.  There are waits where the profile keeps them
 * (profile_options.waits).  Returns 0 or -ENOMEM.  Call viewer_nodes_free() in both
 * cases. */
int viewer_nodes_make(struct viewer_nodes *nodes, const struct profile_trees *merge,
		      const struct viewer_samples *samples);
void viewer_nodes_free(struct viewer_nodes *nodes);

/* Returns the number of the name of a page's node: its place in `names`. */
uint32_t viewer_nodes_name(struct viewer_nodes *nodes, uint32_t node);

/* Write the member "waits" of the page's JSON object. */
void viewer_nodes_waits(const struct viewer_nodes *nodes, struct json *json);

#endif
