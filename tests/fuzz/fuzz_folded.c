/* Any bytes can be read as folded stacks.  The stacks that were read are written and read back
 * the same.  A flame graph can be drawn of them, and contains only text that XML allows. */
#include "runtime/output/formats/format_content.h"
#include "runtime/profile/input/folded_read.h"
#include "runtime/output/graph/graph.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/fuzz/fuzz.h"

static struct frame_tree *read_all(const void *data, size_t bytes, size_t *skipped)
{
	struct frame_tree *tree = frame_tree_new();
	FILE *file = fuzz_file(data, bytes);
	char line[128];

	CHECK(tree);
	CHECK(folded_read(tree, file, "fuzz", skipped, line, sizeof(line)) == 0);
	CHECK((*skipped == 0) == (line[0] == '\0'));
	fclose(file);
	frame_tree_sort(tree);
	return tree;
}

static void check_tree(struct frame_tree *tree)
{
	for (struct frame *frame = frame_tree_root(tree); frame; frame = frame_tree_next(frame)) {
		uint64_t total = frame->self;

		for (struct frame *child = frame->first_child; child; child = child->next_sibling) {
			CHECK(child->parent == frame);
			CHECK(!child->next_sibling ||
			      strcmp(child->name, child->next_sibling->name) < 0);
			total += child->total;
		}
		CHECK(frame->total == total);
	}
}

static char *write_all(struct frame_tree *tree, size_t *bytes)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, bytes);

	CHECK(file);
	CHECK(format_folded(&(struct format_content){ .tree = tree }, file) == 0);
	fclose(file);
	return text;
}

static void check_picture(struct frame_tree *tree)
{
	struct graph_options options = { .title = "fuzz", .min_width_percent = 1e-9 };
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);
	int err = graph_write(tree, &options, file);

	CHECK(err == (frame_tree_root(tree)->total ? 0 : -ENODATA));
	fclose(file);
	for (size_t i = 0; i < bytes; i++) {
		CHECK((unsigned char)text[i] >= ' ' || text[i] == '\n' || text[i] == '\t');
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct frame_tree *first;
	struct frame_tree *second;
	char *once;
	char *twice;
	size_t once_bytes, twice_bytes, skipped;

	if (bytes == 0)
		return 0;
	first = read_all(data, bytes, &skipped);
	check_tree(first);
	once = write_all(first, &once_bytes);
	check_picture(first);
	if (once_bytes) {
		second = read_all(once, once_bytes, &skipped);
		CHECK(skipped == 0);
		twice = write_all(second, &twice_bytes);
		CHECK(once_bytes == twice_bytes && memcmp(once, twice, once_bytes) == 0);
		free(twice);
		frame_tree_free(second);
	}
	free(once);
	frame_tree_free(first);
	return 0;
}
