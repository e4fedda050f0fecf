/* For any labels and logs of a spool: splitting its stacks by them ends, and gives names that fit
 * into folded stacks. */
#include "runtime/output/formats/format_content.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/fuzz/changed_spool.h"
#include "tests/support/written.h"

#define CHUNKS 12 /* one more than are in use */

/* A trace is two entries. */
static void trace(struct spool_builder *builder, struct spool_builder_thread *thread, unsigned i)
{
	spool_builder_entry(builder, thread, SPOOL_LOG_TRACE | (uint64_t)i << 32, 1, 1);
	spool_builder_entry(builder, thread, SPOOL_LOG_TRACE_REST, 2, 0);
}

static struct spool_builder base(void)
{
	struct spool_builder builder = spool_builder_new(2, 1 << 20);
	struct spool_builder_thread first = spool_builder_thread(&builder, 1, "first");
	struct spool_builder_thread second = spool_builder_thread(&builder, 2, "second");
	uint32_t parent = 0, code, set[4];

	spool_builder_module(&builder, 0x10000, 0x30000, 0x10000, "/no/program")->flags =
		SPOOL_MODULE_EXECUTABLE;
	spool_builder_code(&builder, "outer", "/no/program.py", &code);
	set[0] = spool_builder_label(&builder, 0, "key", "a;\n\xff");
	set[1] = spool_builder_label(&builder, set[0], "other", "b");
	set[2] = spool_builder_label(&builder, set[1], "key", "c");
	set[3] = spool_builder_label(&builder, set[2], "key", "");
	for (unsigned i = 0; i < 20; i++) {
		parent = spool_builder_node(&builder, &first, 0x10000 + i * 0x1000,
					    i % 9 ? parent : 0);
		changed_spool_take(&builder, &first, parent, i);
		if (i % 4 == 3)
			spool_builder_labels(&builder, &first, set[i / 4 % 4]);
		if (i % 7 == 6)
			trace(&builder, &first, i);
	}
	parent = spool_builder_node(&builder, &second, spool_code_pc(code, 3), 0);
	for (unsigned i = 0; i < 5; i++)
		changed_spool_take(&builder, &second, parent, 4 * i);
	return builder;
}

static int check_stack(void *context, const char **path, size_t depth, uint64_t value)
{
	(void)context;
	CHECK(value);
	for (size_t i = 0; i < depth; i++)
		CHECK(*path[i] && !strpbrk(path[i], ";\n"));
	return 0;
}

static void write_all(struct profile *profile)
{
	struct frame_tree *tree;

	CHECK(!format_pprof(&(struct format_content){ .profile = profile }, written_begin()));
	if (!profile_counter_count(profile) ||
	    profile_tree(profile, 0, SETTINGS_WEIGHT_EVENTS, &tree))
		return; /* sums beyond 64 bits are an error, and said */
	CHECK(!frame_tree_each(tree, check_stack, NULL));
	frame_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = size ? *data : 0;
	struct profile_options options = {
		.label = how & 1 ? "key" : NULL,
		.only_key = how & 2 ? "other" : NULL,
		.only_value = "b",
		.label_sets = how & 4 || !(how & 3),
		.timeline = how & 8,
		.locations = true,
	};

	changed_spool_use(base(), CHUNKS, &options, write_all, data + !!size, size - !!size);
	return 0;
}
