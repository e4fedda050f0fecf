/*
 * A mapping has the addresses of the first process that had its file; its bias leads back to those
 * of the file.
 *
 * Times of files are those of their last change, which copying may make later but not earlier.  So
 * a file that looks old is one, and a file that looks new may be as it was.
 */
#include "runtime/output/annotate/annotate_sites.h"

#include <sys/stat.h>

#include "runtime/profile/merge/profile.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/symbols/data_frames.h"
#include "runtime/profile/symbols/frame_kind.h"

#define NS_PER_S 1000000000u

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

uint64_t annotate_place_changed(const char *path)
{
	struct stat st;

	if (path[0] != '/' || stat(path, &st) || st.st_mtim.tv_sec < 0)
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
}

uint64_t annotate_place_ended(const struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);

	if (summary->running || !summary->start_realtime_ns || !summary->wall_ns)
		return UINT64_MAX;
	return summary->start_realtime_ns + summary->wall_ns;
}
