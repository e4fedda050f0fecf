/*
 * A mapping has the addresses of the first process that had its file; its bias leads back to those
 * of the file.
 */
#include "runtime/output/annotate/annotate_place.h"

#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/symbols/data_frames.h"
#include "runtime/profile/symbols/frame_kind.h"

uint64_t annotate_place_address(const struct locations *locations, const struct location *at)
{
	return at->mapping ? at->address - locations->mappings[at->mapping - 1].bias : at->address;
}

bool annotate_place_is_data(const struct locations *locations, const struct location *at)
{
	const char *name = string_table_text(locations->strings, at->name);

	return !at->mapping && (data_frame_is(at->address) || frame_kind_is_special(name));
}

bool annotate_place_find(const struct locations *locations, uint32_t node, uint32_t *mapping,
			 uint64_t *address)
{
	struct call_tree_node at = call_tree_node(locations->calls, node);
	struct location location;

	for (; at.depth > 1; at = call_tree_node(locations->calls, at.parent)) {
		location = locations_get(locations, at.name);
		if (!annotate_place_is_data(locations, &location))
			break;
	}
	if (at.depth < 2 || !location.mapping)
		return false;
	*mapping = location.mapping;
	*address = annotate_place_address(locations, &location);
	return true;
}
