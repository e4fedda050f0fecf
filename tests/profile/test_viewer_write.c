/* A page that has a limit fits it, if need be with fewer samples, and its sums stay. */
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/page/viewer_data.h"
#include "tests/support/page_columns.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define STACKS 3000
#define DATA   "id=\"profile\">"

static struct profile *profile;
static struct page_columns page; /* that was read last */
static size_t samples;		 /* of it */

/* Without times: each stack is a sample, and those of one moment are joined too. */
UNIT(setup)
{
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct frame_tree *tree = frame_tree_new();
	uint32_t random = 1;

	profile = profile_new(&options);
	for (unsigned i = 0; i < STACKS; i++) {
		char name[32];
		const char *const frames[] = { "app", name };

		snprintf(name, sizeof(name), "f%u", random = random * 1664525 + 1013904223);
		assert_int_equal(frame_tree_add(tree, frames, 2, i + 1), 0);
	}
	assert_int_equal(profile_add_tree(profile, tree), 0);
	frame_tree_free(tree);
	return 0;
}

UNIT(teardown)
{
	page_columns_free(&page);
	page = (struct page_columns){ 0 };
	profile_free(profile);
	return 0;
}

static void write_page(uint64_t most)
{
	written_by(viewer_data_page(profile, SETTINGS_WEIGHT_AUTO, most, written_begin()));
}

/* Read the page; its samples have the sum of the stacks. */
static void read_page(void)
{
	const char *start = strstr(written.text, DATA) + strlen(DATA);
	char type[8];
	double sum = 0;

	assert_true(page_columns_read(&page, start, (size_t)(strchr(start, '<') - start)));
	samples = page_columns_type(&page, "node", type);
	for (size_t i = 0; i < samples; i++)
		sum += page_columns_value(&page, "samples", i);
	assert_true(sum == (double)STACKS * (STACKS + 1) / 2);
}

TEST(a_page_without_a_limit_has_every_sample)
{
	write_page(0);
	read_page();
	assert_int_equal(samples, STACKS);
	assert_null(strstr(page.json, "to keep this page small"));
}

TEST(a_page_that_fits_is_the_same_with_a_limit)
{
	size_t bytes;
	char *whole;

	write_page(0);
	bytes = written.bytes;
	whole = memcpy(malloc(bytes), written.text, bytes);
	write_page(bytes);
	assert_int_equal(written.bytes, bytes);
	assert_memory_equal(written.text, whole, bytes);
	free(whole);
}

TEST(a_larger_page_has_fewer_samples_and_the_same_sum)
{
	size_t bytes;

	write_page(0);
	bytes = written.bytes - 1000;
	write_page(bytes);
	assert_true(written.bytes <= bytes);
	read_page();
	assert_true(samples < STACKS && samples > 0);
	assert_non_null(strstr(page.json, "to keep this page small"));
}

TEST(a_limit_below_the_script_leaves_the_least_page_there_is)
{
	write_page(1);
	read_page();
	assert_int_equal(samples, 1);
}
