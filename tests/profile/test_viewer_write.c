/* A page that has a limit fits it, if need be with fewer samples, and its sums stay. */
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/page/viewer_data.h"
#include "tests/support/page_columns.h"
#include "tests/support/unit.h"

#define STACKS 3000
#define DATA   "id=\"profile\">"

struct fixture {
	struct profile *profile;
	char *text;
	size_t bytes;
};

/* Without times: each stack is a sample, and those of one moment are joined too. */
int unit_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct frame_tree *tree = frame_tree_new();
	uint32_t random = 1;

	f->profile = profile_new(&options);
	for (unsigned i = 0; i < STACKS; i++) {
		char name[32];
		const char *const frames[] = { "app", name };

		snprintf(name, sizeof(name), "f%u", random = random * 1664525 + 1013904223);
		assert_int_equal(frame_tree_add(tree, frames, 2, i + 1), 0);
	}
	assert_int_equal(profile_add_tree(f->profile, tree), 0);
	frame_tree_free(tree);
	*state = f;
	return 0;
}

int unit_teardown(void **state)
{
	struct fixture *f = *state;

	profile_free(f->profile);
	free(f->text);
	free(f);
	return 0;
}

static void write_page(struct fixture *f, uint64_t most)
{
	FILE *file;

	free(f->text);
	f->text = NULL;
	file = open_memstream(&f->text, &f->bytes);
	assert_int_equal(viewer_data_page(f->profile, SETTINGS_WEIGHT_AUTO, most, file), 0);
	fclose(file);
}

static void read_page(const struct fixture *f, struct page_columns *page)
{
	const char *start = strstr(f->text, DATA) + strlen(DATA);

	assert_true(page_columns_read(page, start, (size_t)(strchr(start, '<') - start)));
}

static double sum(const struct page_columns *page, size_t *samples)
{
	char type[8];
	double all = 0;

	*samples = page_columns_type(page, "node", type);
	for (size_t i = 0; i < *samples; i++)
		all += page_columns_value(page, "samples", i);
	return all;
}

TEST_OF(struct fixture *f, a_page_without_a_limit_has_every_sample)
{
	struct page_columns page;
	size_t samples;

	write_page(f, 0);
	read_page(f, &page);
	assert_true(sum(&page, &samples) == (double)STACKS * (STACKS + 1) / 2);
	assert_int_equal(samples, STACKS);
	assert_null(strstr(page.json, "to keep this page small"));
	page_columns_free(&page);
}

TEST_OF(struct fixture *f, a_page_that_fits_is_the_same_with_a_limit)
{
	char *whole;
	size_t bytes;

	write_page(f, 0);
	whole = f->text;
	bytes = f->bytes;
	f->text = NULL;
	write_page(f, bytes);
	assert_int_equal(f->bytes, bytes);
	assert_memory_equal(f->text, whole, bytes);
	free(whole);
}

TEST_OF(struct fixture *f, a_larger_page_has_fewer_samples_and_the_same_sum)
{
	struct page_columns page;
	size_t samples, bytes;

	write_page(f, 0);
	bytes = f->bytes - 1000;
	write_page(f, bytes);
	assert_true(f->bytes <= bytes);
	read_page(f, &page);
	assert_true(sum(&page, &samples) == (double)STACKS * (STACKS + 1) / 2);
	assert_true(samples < STACKS && samples > 0);
	assert_non_null(strstr(page.json, "to keep this page small"));
	page_columns_free(&page);
}

TEST_OF(struct fixture *f, a_limit_below_the_script_leaves_the_least_page_there_is)
{
	struct page_columns page;
	size_t samples;

	write_page(f, 1);
	read_page(f, &page);
	assert_true(sum(&page, &samples) == (double)STACKS * (STACKS + 1) / 2);
	assert_int_equal(samples, 1);
	page_columns_free(&page);
}
