/* Without R's library a comparison has its values, and says that nothing is significant; without
 * zlib, what is written can be read all the same. */
#include "runtime/compare/changes.h"
#include "runtime/compare/comparison.h"
#include "runtime/profile/base/gzip.h"
#include "runtime/profile/base/library.h"
#include "tests/support/folded_text.h"
#include "tests/support/page_columns.h"
#include "tests/support/unit.h"

int __wrap_library_open(const char *soname, const struct library_entry *entries);

int __wrap_library_open(const char *soname, const struct library_entry *entries)
{
	(void)soname;
	(void)entries;
	return -ELIBACC;
}

static void assert_unknown(const struct changes_value *value, double before, double after)
{
	const struct statistics_change *change = &value->change;

	assert_true(fabs(change->mean[0] - before) < 1e-9);
	assert_true(fabs(change->mean[1] - after) < 1e-9);
	assert_true(fabs(change->change - (after - before)) < 1e-9);
	assert_true(fabs(change->relative - (after / before - 1)) < 1e-9);
	assert_true(isnan(change->low) && isnan(change->high));
	assert_true(isnan(change->relative_low) && isnan(change->relative_high));
	assert_true(isnan(change->chance));
	assert_false(value->significant);
}

static void make(size_t count, bool paired, struct runs **runs, struct changes *changes)
{
	static const struct runs_options none = { .outer = 0 };
	struct changes_options options = { .alpha = 0.01, .paired = paired };

	*runs = runs_new(&none);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(runs_add(*runs, RUNS_BEFORE, folded_text_tree("a;f 10\na;g 40\n"),
					  1),
				 0);
		assert_int_equal(runs_add(*runs, RUNS_AFTER, folded_text_tree("a;f 90\na;g 40\n"),
					  1),
				 0);
	}
	assert_int_equal(runs_settle(*runs), 0);
	assert_int_equal(changes_make(*runs, &options, changes), 0);
}

TEST(functions_have_values_and_no_intervals)
{
	for (size_t count = 1; count <= 3; count++) {
		struct changes changes;
		struct runs *runs;

		make(count, count == 2, &runs, &changes);
		assert_false(changes.has_intervals);
		assert_unknown(&changes.whole, 50, 130);
		assert_string_equal(changes.functions[0].name, "f");
		assert_unknown(&changes.functions[0].self, 10, 90);
		assert_unknown(&changes.functions[1].total, 40, 40);
		assert_true(fabs(changes.functions[0].self.share[1] - 9.0 / 13) < 1e-9);
		changes_free(&changes);
		runs_free(runs);
	}
}

TEST(measures_have_values_and_no_intervals)
{
	struct comparison comparison = { .runs = { 4, 4 }, .alpha = 0.01 };
	struct comparison_measure *measure = comparison_add_measure(&comparison, "wall", "ns");

	for (int side = 0; side < 2; side++) {
		measure->value[side] = calloc(4, sizeof(double));
		for (int i = 0; i < 4; i++)
			measure->value[side][i] = side ? 20 : 10;
	}
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_int_equal(comparison.note_count, 1);
	assert_string_equal(comparison.notes[0],
			    "libRmath.so.1 cannot be loaded (Debian: r-mathlib, Fedora: libRmath): "
			    "changes have no intervals, and none is significant.");
	assert_unknown(&comparison.measures[0].result, 10, 20);
	assert_true(isnan(comparison.measures[0].drift[0].chance));
	assert_false(comparison_differs(&comparison));
	comparison_free(&comparison);
}

#define BYTES ((size_t)200000)

TEST(plain_blocks_hold_any_number_of_bytes)
{
	static const size_t pieces[] = { 1, 1000, 65535, 65536, BYTES };
	unsigned char *bytes = calloc(1, BYTES); /* a text without a byte, then the columns */

	for (size_t i = 8; i < BYTES; i++)
		bytes[i] = (unsigned char)(i * i >> 3);
	for (size_t k = 0; k < sizeof(pieces) / sizeof(*pieces); k++) {
		struct page_columns page;
		struct gzip *gzip;
		size_t size;
		char *text = NULL;
		FILE *file = open_memstream(&text, &size);

		assert_int_equal(gzip_new_base64(file, &gzip), 0);
		for (size_t at = 0; at < BYTES; at += pieces[k])
			gzip_write(gzip, bytes + at,
				   BYTES - at < pieces[k] ? BYTES - at : pieces[k]);
		assert_int_equal(gzip_free(gzip), 0);
		fclose(file);
		assert_true(page_columns_read(&page, text, size));
		assert_int_equal(page.size, BYTES);
		assert_memory_equal(page.bytes, bytes, BYTES);
		page_columns_free(&page);
		free(text);
	}
	free(bytes);
}

TEST(a_gzip_file_needs_zlib)
{
	struct gzip *gzip;

	assert_int_equal(gzip_new(stdout, &gzip), -ELIBACC);
}
