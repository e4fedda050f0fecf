/*
 * A program is made after its sources, and a script is read when it runs.
 */
#include "runtime/output/annotate/annotate_newer.h"

#include <stdlib.h>

#include "runtime/output/annotate/annotate_age.h"
#include "runtime/output/annotate/annotate_listing.h"

bool *annotate_newer_files(const struct annotate_listing *listing)
{
	const struct annotate_copy *copy = listing->copy;
	bool *newer = calloc(listing->texts.count + 1, sizeof(*newer));
	uint64_t limit = listing->sites->ended_ns;
	uint32_t last = 0;

	if (copy->kind == ANNOTATE_NATIVE)
		limit = copy->path ? annotate_age_changed(copy->path) : 0;
	for (size_t i = 0; newer && limit && i < listing->line_count; i++) {
		uint32_t file = listing->lines[i].file;

		if (file != last)
			newer[file] =
				annotate_age_is_newer(string_table_text(&listing->texts, file),
						      limit);
		last = file;
	}
	return newer;
}
