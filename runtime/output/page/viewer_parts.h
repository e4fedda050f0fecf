/*
 * The data of a page while it is made: what its writers share.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_PARTS_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_PARTS_H

#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/output/page/viewer_lines.h"
#include "runtime/output/page/viewer_nodes.h"
#include "runtime/output/page/viewer_samples.h"

struct profile;
struct viewer_code;

struct viewer_data {
	const struct profile *profile;
	enum settings_weight weight;
	struct viewer_samples samples;
	struct viewer_nodes nodes;
	struct viewer_lines lines;
	struct viewer_code *code; /* NULL: none */
	uint64_t end_ns;	  /* of the axis */
	unsigned shift;		  /* the unit of times is 1 << shift ns */
};

/* Returns a time of the timeline in the page's unit. */
static inline uint32_t viewer_parts_time(const struct viewer_data *data, uint64_t time_ns)
{
	uint64_t time = time_ns >> data->shift;

	return time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
}

#endif
