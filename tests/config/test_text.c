/* Texts in a fixed buffer: what is appended, what is cut, and how far names are apart. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/text/distance.h"
#include "config/text/text.h"

static void test_parts_follow_each_other(void **state)
{
	char bytes[80];
	struct text text = text_into(bytes, sizeof(bytes));

	(void)state;
	assert_string_equal(bytes, "");
	text_add(&text, "a ");
	text_add_bytes(&text, "b cut", 2);
	text_number(&text, 0);
	text_add(&text, " ");
	text_number(&text, UINT64_MAX);
	text_add(&text, " ");
	text_hex(&text, UINT64_MAX - 15);
	assert_string_equal(bytes, "a b 0 18446744073709551615 fffffffffffffff0");
	assert_int_equal(text.used, strlen(bytes));
	assert_false(text.cut);
}

static void test_what_does_not_fit_is_cut_and_said(void **state)
{
	char bytes[8] = "zzzzzzz";
	struct text text = text_into(bytes, 4);

	(void)state;
	text_add(&text, "abc");
	assert_false(text.cut);
	text_add(&text, "");
	assert_false(text.cut);
	text_add(&text, "d");
	assert_true(text.cut);
	text_number(&text, 12);
	assert_int_equal(text.used, 3);
	assert_memory_equal(bytes, "abc\0zzz", 8);
	assert_true(text_copy(bytes, 4, "xyz"));
	assert_false(text_copy(bytes, 4, "uvwx"));
	assert_memory_equal(bytes, "uvw\0zzz", 8);
}

static void escaped(const char *more, size_t length, size_t limit, const char *expected)
{
	char bytes[64];
	struct text text = text_into(bytes, sizeof(bytes));

	text_escaped(&text, more, length, limit);
	assert_string_equal(bytes, expected);
	assert_int_equal(text.used, strlen(expected));
}

static void test_text_of_unknown_origin_is_escaped(void **state)
{
	(void)state;
	escaped("a\n\x7f\xff~", 5, 40, "a\\x0a\\x7f\\xff~");
	escaped("a\0b", 3, 40, "a\\x00b");
	escaped("abcd", 4, 4, "abcd");
	escaped("abcde", 5, 4, "abcd...");
	escaped("abc\n", 4, 6, "abc..."); /* an escape is not cut in two */
}

static void test_errors_have_names(void **state)
{
	(void)state;
	assert_string_equal(text_errno(EACCES), "EACCES");
	assert_string_equal(text_errno(-ENOSPC), "ENOSPC");
	assert_null(text_errno(0));
	assert_null(text_errno(4000));
}

static unsigned apart(const char *one, const char *other)
{
	unsigned distance = text_distance(one, strlen(one), other, strlen(other));

	assert_int_equal(distance, text_distance(other, strlen(other), one, strlen(one)));
	return distance;
}

static void test_distance_counts_edits(void **state)
{
	char same[100], longer[101];

	(void)state;
	assert_int_equal(apart("", ""), 0);
	assert_int_equal(apart("", "abc"), 3);
	assert_int_equal(apart("cycles", "cycles"), 0);
	assert_int_equal(apart("cycles", "cycle"), 1);
	assert_int_equal(apart("cycles", "cyclez"), 1);
	assert_int_equal(apart("cycles", "cylces"), 1);
	assert_int_equal(apart("kitten", "sitting"), 3);
	memset(same, 'a', sizeof(same));
	memset(longer, 'a', sizeof(longer));
	longer[63] = 'b'; /* past the bytes that are looked at */
	assert_int_equal(text_distance(same, sizeof(same), longer, sizeof(longer)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_follow_each_other),
		cmocka_unit_test(test_what_does_not_fit_is_cut_and_said),
		cmocka_unit_test(test_text_of_unknown_origin_is_escaped),
		cmocka_unit_test(test_errors_have_names),
		cmocka_unit_test(test_distance_counts_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
