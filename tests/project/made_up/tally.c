/* A format of the tests: the number of stacks, and the sum of their values. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>

#include "runtime/output/formats/format_content.h"
#include "runtime/profile/tree/frame_tree.h"

struct tally {
	uint64_t stacks, sum;
};

static int add(void *context, const char **names, size_t depth, uint64_t value)
{
	struct tally *tally = context;

	(void)names;
	(void)depth;
	tally->stacks++;
	tally->sum += value;
	return 0;
}

int format_tally(const struct format_content *content, FILE *file)
{
	struct tally tally = { 0 };
	int err = frame_tree_each(content->tree, add, &tally);

	fprintf(file, "%" PRIu64 " stacks, %" PRIu64 "\n", tally.stacks, tally.sum);
	return !err && ferror(file) ? -EIO : err;
}
