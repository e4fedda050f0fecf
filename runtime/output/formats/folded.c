/*
 * Folded stacks, which folded_read.h reads: "command;outermost;…;leaf COUNT" lines, sorted frame by
 * frame, summed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>

#include "runtime/profile/tree/frame_tree.h"
#include "runtime/output/formats/format_content.h"

/* Characters in a name that would split the line or the frame are replaced. */
static int write_stack(void *context, const char **names, size_t depth, uint64_t value)
{
	FILE *file = context;

	for (size_t i = 0; i < depth; i++) {
		if (i)
			putc_unlocked(';', file);
		for (const char *c = names[i]; *c; c++)
			putc_unlocked(*c == ';' ? ':' : *c == '\n' ? ' ' : *c, file);
	}
	fprintf(file, " %" PRIu64 "\n", value);
	return 0;
}

int format_folded(const struct format_content *content, FILE *file)
{
	int err = frame_tree_each(content->tree, write_stack, file);

	return !err && ferror(file) ? -EIO : err;
}
