/* Any bytes can be read as folded stacks.  The stacks that were read are written and read back
 * the same.  A flame graph can be drawn of them, and contains only text that XML allows. */
#include "runtime/output/formats/format_content.h"
#include "runtime/output/graph/graph.h"
#include "tests/fuzz/folded_input.h"
#include "tests/support/written.h"

static void check_picture(struct frame_tree *tree)
{
	struct graph_options options = { .title = "fuzz", .min_width_percent = 1e-9 };
	int err = graph_write(tree, &options, written_begin());

	CHECK(err == (frame_tree_root(tree)->total ? 0 : -ENODATA));
	written_end();
	check_characters(written.text, written.bytes);
}

/* Write the stacks as folded text, to written.h's file. */
static void write_folded(struct frame_tree *tree)
{
	CHECK(format_folded(&(struct format_content){ .tree = tree }, written_begin()) == 0);
	written_end();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	size_t once_bytes, skipped;
	struct frame_tree *tree = folded_input_read(data, bytes, &skipped);
	char *once;

	folded_input_check(tree, false);
	check_picture(tree);
	write_folded(tree);
	frame_tree_free(tree);
	once_bytes = written.bytes;
	once = fuzz_text((const uint8_t *)written.text, once_bytes);
	tree = folded_input_read(once, once_bytes, &skipped);
	CHECK(skipped == 0);
	write_folded(tree);
	CHECK(once_bytes == written.bytes && memcmp(once, written.text, once_bytes) == 0);
	free(once);
	frame_tree_free(tree);
	return 0;
}
