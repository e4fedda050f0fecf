/* The pprof message written from a hostile spool refers only to parts that exist. */
#include <pprof.pb-c.h>

#include "runtime/output/graph/counter_views.h"
#include "runtime/output/graph/graph.h"
#include "runtime/profile/analysis/missing_symbols.h"
#include "runtime/output/formats/gperftools.h"
#include "runtime/output/formats/format_content.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/output/formats/speedscope.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/pprof_reader.h"
#include "tests/support/written.h"
#include "tests/fuzz/changed_spool.h"

#define CHUNKS 10 /* one more than are in use */

static struct spool_builder base(void)
{
	struct spool_builder builder = spool_builder_new(2, 1 << 18);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "first");
	struct spool_header *header = spool_builder_header(&builder);
	struct spool_code *inner;
	uint32_t parent = 0, number;

	header->counter[0].unit = SPOOL_UNIT_NS;
	header->counter[1].leader = 0; /* one group: there is a ratio */
	spool_builder_module(&builder, 0x10000, 0x30000, 0x10000, "/no/program")->flags =
		SPOOL_MODULE_EXECUTABLE;
	spool_builder_module(&builder, 0x30000, 0x40000, 0, "/no/library.so");
	for (unsigned i = 0; i < 60; i++) {
		parent = spool_builder_node(&builder, &thread, 0x10000 + i * 0x1000,
					    i % 9 ? parent : 0);
		spool_builder_weigh(&builder, parent, i % 2, 1, 10);
	}
	spool_builder_node(&builder, &thread, 0xffffffff81000000, parent);
	parent = spool_builder_node(&builder, &thread, spool_code_pc(1, 3), parent);
	spool_builder_code(&builder, "outer\n\xff", "/program.py", &number);
	inner = spool_builder_code(&builder, "inner", "/module.py", &number);
	inner->qualified = spool_builder_text(&builder, "Class.inner", 11);
	inner->table = spool_builder_text(&builder, "\x80\0\xa0\x02\1\xf0\0", 7);
	inner->lines = SPOOL_LINES_PEP657;
	parent = spool_builder_node(&builder, &thread, spool_code_pc(number, 2), parent);
	parent = spool_builder_node(&builder, &thread, SPOOL_PC_COLLECTING, parent);
	spool_builder_weigh(&builder, parent, 0, 1, 10);
	return builder;
}

static void check(const Pprof__Profile *read)
{
	CHECK(read && read->n_string_table && !read->string_table[0][0]);
	for (size_t i = 0; i < read->n_location; i++) {
		const Pprof__Location *at = read->location[i];

		CHECK(at->id == i + 1 && at->mapping_id <= read->n_mapping && at->n_line == 1);
		CHECK(at->line[0]->function_id && at->line[0]->function_id <= read->n_function);
		CHECK(!at->mapping_id ||
		      (at->address >= read->mapping[at->mapping_id - 1]->memory_start &&
		       at->address < read->mapping[at->mapping_id - 1]->memory_limit));
	}
	for (size_t i = 0; i < read->n_sample; i++) {
		CHECK(read->sample[i]->n_value == read->n_sample_type);
		CHECK(read->sample[i]->n_location_id > 0);
		for (size_t k = 0; k < read->sample[i]->n_location_id; k++)
			CHECK(read->sample[i]->location_id[k] &&
			      read->sample[i]->location_id[k] <= read->n_location);
		for (size_t k = 0; k < read->sample[i]->n_label; k++)
			CHECK((size_t)read->sample[i]->label[k]->str < read->n_string_table);
	}
}

static void write_formats(struct profile *profile)
{
	struct speedscope_options options = { .title = "\xff",
					      .threads = true,
					      .lines = profile_merge(profile)->lines };
	struct speedscope_counter counter = { .name = "c" };
	Pprof__Profile *read;

	CHECK(!format_pprof(&(struct format_content){ .profile = profile }, written_begin()));
	written_end();
	read = pprof_reader_read(written.text, written.bytes);
	check(read);
	pprof__profile__free_unpacked(read, NULL);
	if (!profile_counter_count(profile) ||
	    profile_tree(profile, 0, SETTINGS_WEIGHT_EVENTS, &counter.tree))
		return; /* sums beyond 64 bits are an error, and said */
	CHECK(!speedscope_write(&counter, 1, &options, written_begin()));
	CHECK(!gperftools_write(counter.tree, "\xff", 0, written_begin()));
	frame_tree_free(counter.tree);
}

/* With the ratios of its group, as they are and turned round. */
static void write_pictures(struct profile *profile)
{
	struct graph_options options = { .title = "\xff", .min_width_percent = 1e-9 };
	struct counter_views *all;
	int err = counter_views_new(profile, SETTINGS_WEIGHT_SAMPLES, true, &all);

	for (int turn = 0; !err && all->count && turn < 2; turn++) {
		int drawn = graph_write_views(all->view, all->count, &options, written_begin());

		CHECK(!drawn || drawn == -ENODATA);
		written_end();
		CHECK(written.bytes > 7 && !strcmp(written.text + written.bytes - 7, "</svg>\n"));
		options.inverted = true;
		err = counter_views_reverse(all, 2);
	}
	counter_views_free(all);
}

static void write_all(struct profile *profile)
{
	size_t gaps;

	write_formats(profile);
	write_pictures(profile);
	missing_symbols_list(profile_merge(profile)->gaps, &gaps);
	CHECK(!gaps || missing_symbols_samples(profile_merge(profile)->gaps));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_options options = {
		.threads = SETTINGS_THREADS_ID,
		.inlined = true,
		.lines = true,
		.locations = true,
		.gaps = true,
	};

	changed_spool_use(base(), CHUNKS, &options, write_all, data, size);
	return 0;
}
