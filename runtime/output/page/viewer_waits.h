/*
 * Where the threads of a page wait: the rows of wait_sites.h.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_WAITS_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_WAITS_H

#include <stdint.h>

#include "runtime/profile/base/string_table.h"

struct json;
struct viewer_nodes;
struct viewer_samples;

struct viewer_waits {
	struct string_table rows; /* texts: "read_request -> __poll -> do_sys_poll_[k]" */
	uint32_t *function;	  /* of the page's names, by number of the row - 1 */
	uint32_t functions;
	uint32_t *row; /* by node of the page; 0: no wait ends in it */
};

/* Find the row of each node in which time off the processor ends, where the profile keeps waits
 * (profile_options.waits).  Returns 0 or -ENOMEM.  Call viewer_waits_free() in both cases. */
int viewer_waits_make(struct viewer_waits *waits, struct viewer_nodes *nodes,
		      const struct viewer_samples *samples);
void viewer_waits_free(struct viewer_waits *waits);

/* Write the member "waits" of the page's JSON object. */
void viewer_waits_json(const struct viewer_waits *waits, struct json *json);

#endif
