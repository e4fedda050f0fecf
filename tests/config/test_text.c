/* Texts in a fixed buffer: what is appended, what is cut, and how far names are apart. */
#include "config/text/text.h"
#include "tests/support/unit.h"

TEST(test_parts_follow_each_other)
{
	char bytes[80];
	struct text text = text_into(bytes, sizeof(bytes));

	assert_string_equal(bytes, "");
	text_add(&text, "a ");
	text_add_bytes(&text, "b cut", 2);
	text_number(&text, 0);
	text_add(&text, " ");
	text_number(&text, UINT64_MAX);
	text_add_all(&text, " ", "", NULL);
	text_hex(&text, UINT64_MAX - 15);
	assert_string_equal(bytes, "a b 0 18446744073709551615 fffffffffffffff0");
	assert_int_equal(text.used, strlen(bytes));
	assert_false(text.cut);
}

TEST(test_what_does_not_fit_is_cut_and_said)
{
	char bytes[8] = "zzzzzzz";
	struct text text = text_into(bytes, 4);

	text_add(&text, "abc");
	assert_false(text.cut);
	text_add(&text, "");
	assert_false(text.cut);
	text_add(&text, "d");
	assert_true(text.cut);
	text_number(&text, 12);
	assert_int_equal(text.used, 3);
	assert_memory_equal(bytes, "abc\0zzz", 8);
	assert_true(text_copy_bytes(bytes, 4, "pqrs", 3));
	assert_string_equal(bytes, "pqr");
	assert_false(text_make(bytes, 4, "a", "", "bc", "d", NULL));
	assert_string_equal(bytes, "abc");
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

TEST(test_text_of_unknown_origin_is_escaped)
{
	escaped("a\n\x7f\xff~", 5, 40, "a\\x0a\\x7f\\xff~");
	escaped("a\0b", 3, 40, "a\\x00b");
	escaped("abcd", 4, 4, "abcd");
	escaped("abcde", 5, 4, "abcd...");
	escaped("abc\n", 4, 6, "abc..."); /* an escape is not cut in two */
}

TEST(test_errors_have_names)
{
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

TEST(test_distance_counts_edits)
{
	char same[100], longer[101];

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

TEST(test_a_number_ends_where_its_digits_end)
{
	const char *end;

	assert_int_equal(text_to_number("7ffe-8", 16, &end), 0x7ffe);
	assert_string_equal(end, "-8");
	assert_int_equal(text_to_number("18446744073709551615", 10, NULL), UINT64_MAX);
	assert_int_equal(text_to_number("12ab", 10, &end), 12);
	assert_string_equal(end, "ab");
	assert_int_equal(text_to_number("-1", 10, &end), 0);
	assert_string_equal(end, "-1");
}
