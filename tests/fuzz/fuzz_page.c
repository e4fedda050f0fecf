/* The page written from a hostile spool can be read again, and its numbers refer only to parts that
 * exist. */
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/output/page/viewer_data.h"
#include "runtime/output/page/viewer_parts.h"
#include "tests/fuzz/changed_spool.h"
#include "tests/support/page_columns.h"
#include "tests/support/written.h"

#define CHUNKS 12  /* one more than are in use */
#define ROWS   200 /* of a column are looked at */

static void take(struct spool_builder *builder, struct spool_builder_thread *thread, uint32_t node,
		 unsigned i)
{
	struct spool_builder_sample sample = {
		.time_ns = 1000000 + 12345678 * (uint64_t)i,
		.node = node,
		.counter = 1,
		.events = 7 * i,
		.member = true,
	};

	changed_spool_take(builder, thread, node, i);
	spool_builder_take(builder, thread, &sample);
}

static struct spool_builder base(void)
{
	struct spool_builder builder = spool_builder_new(2, 1 << 20);
	struct spool_builder_thread first = spool_builder_thread(&builder, 1, "first");
	struct spool_builder_thread second = spool_builder_thread(&builder, 2, "\xff</script>");
	uint32_t parent = 0, code, set;

	spool_builder_header(&builder)->counter[0].unit = SPOOL_UNIT_NS;
	spool_builder_module(&builder, 0x10000, 0x30000, 0x10000, "/no/program")->flags =
		SPOOL_MODULE_EXECUTABLE;
	spool_builder_code(&builder, "outer\n\xff", "/no/program.py", &code);
	set = spool_builder_label(&builder, 0, "key", "<!--");
	for (unsigned i = 0; i < 20; i++) {
		parent = spool_builder_node(&builder, &first, 0x10000 + i * 0x1000,
					    i % 9 ? parent : 0);
		take(&builder, &first, parent, i);
		if (i == 10)
			spool_builder_labels(&builder, &first, set);
	}
	parent = spool_builder_node(&builder, &second, spool_code_pc(code, 3), 0);
	for (unsigned i = 0; i < 5; i++)
		take(&builder, &second, parent, 4 * i);
	spool_builder_mark(&builder, NULL, SPOOL_MARK_FORK, 2000000, 77);
	spool_builder_mark(&builder, &first, SPOOL_MARK_SLOWER, 3000000, 1 | 5000 << 4);
	return builder;
}

static size_t count(const struct page_columns *page, const char *name)
{
	char type[8];

	return page_columns_type(page, name, type);
}

/* How often a member occurs in the elements of an array of the head. */
static size_t elements(const struct page_columns *page, const char *array, const char *member)
{
	const char *at = strstr(page->json, array);
	const char *end = at ? strstr(at, "\n\"") : NULL;
	size_t found = 0;

	CHECK(at);
	for (at = strstr(at, member); at && (!end || at < end); at = strstr(at + 1, member))
		found++;
	return found;
}

static void check_samples(const struct page_columns *page, size_t nodes)
{
	size_t samples = count(page, "node");
	size_t tracks = elements(page, "\"tracks\":[", "{\"process\":");
	size_t counters = elements(page, "\"counters\":[", "{\"name\":");
	size_t labels = elements(page, "\"labels\":[", "{\"below\":");

	for (size_t i = 0; i < samples && i < ROWS; i++) {
		CHECK(page_columns_value(page, "node", i) < (double)nodes);
		CHECK(page_columns_value(page, "track", i) < (double)tracks);
		CHECK(page_columns_value(page, "counter", i) < (double)counters);
		CHECK(page_columns_value(page, "labels", i) <= (double)labels);
	}
}

static void check(const char *text, size_t bytes)
{
	struct page_columns page;
	size_t nodes;

	CHECK(page_columns_read(&page, text, bytes));
	nodes = count(&page, "nodeName");
	CHECK(nodes || !count(&page, "node"));
	for (size_t i = 1; i < nodes && i < ROWS; i++)
		CHECK(page_columns_value(&page, "nodeParent", i) < (double)i);
	check_samples(&page, nodes);
	page_columns_free(&page);
}

static void write_data(struct viewer_data *data)
{
	CHECK(!viewer_data_write(data, written_begin()));
	written_end();
	check(written.text, written.bytes);
}

/* Once with all samples, and once with as few as can be. */
static void write_page(struct profile *profile)
{
	struct viewer_data data;
	int err = 0;

	CHECK(!viewer_data_make(&data, profile, profile_merge(profile)->timeline,
				SETTINGS_WEIGHT_AUTO));
	write_data(&data);
	while (!err)
		err = viewer_data_halve(&data);
	CHECK(err == -ENODATA);
	write_data(&data);
	viewer_data_free(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_options options = {
		.threads = SETTINGS_THREADS_ID,
		.locations = true,
		.timeline = true,
		.sources = UINT64_MAX,
	};

	changed_spool_use(base(), CHUNKS, &options, write_page, data, size);
	return 0;
}
