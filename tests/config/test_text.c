/* Texts in a fixed buffer: what is appended, what is cut, and how far names are apart.  Text that a
 * terminal acts on never passes to one; all other text does. */
#include "config/text/terminal.h"
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

static void filtered(const char *text, size_t bytes, const char *expected)
{
	for (size_t first = 0; first <= bytes; first++) { /* in two calls, cut anywhere */
		struct terminal terminal = { .have = 0 };
		char to[256];
		size_t used = terminal_filter(&terminal, text, first, to);

		used += terminal_filter(&terminal, text + first, bytes - first, to + used);
		used += terminal_end(&terminal, to + used);
		to[used] = '\0';
		assert_string_equal(to, expected);
	}
}

#define FILTERED(text, expected) filtered(text, sizeof(text) - 1, expected)

TEST(test_text_of_any_language_passes)
{
	FILTERED("plain ~ text\twith tabs\n", "plain ~ text\twith tabs\n");
	FILTERED("gr\xc3\xbc\xc3\x9f dich", "gr\xc3\xbc\xc3\x9f dich");
	FILTERED("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x94\xa5",
		 "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x94\xa5");
	FILTERED("\xc2\xa0\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
		 "\xc2\xa0\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(what_a_terminal_acts_on_never_passes)
{
	/* controls do not */
	FILTERED("a\x1b[31mb", "a?[31mb");
	FILTERED("a\rb\bc\ad\x7f", "a?b?c?d?");
	FILTERED("a\0b", "a?b");
	FILTERED("\xc2\x9b"
		 "31m \xc2\x80 \xc2\x9f", /* C1 as UTF-8: CSI is one */
		 "?31m ? ?");
	FILTERED("\x9b"
		 "31m",
		 "?31m");
	/* text does not turn round */
	FILTERED("a\xe2\x80\xae"
		 "b\xe2\x80\xac",
		 "a?b?");
	FILTERED("\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c\xe2\x81\xa6\xe2\x81\xa9", "?????");
	FILTERED("\xe2\x80\xa8\xe2\x80\xa9", "??"); /* separators of lines and paragraphs */
	FILTERED("\xe2\x80\xaf\xe2\x81\xaa", "\xe2\x80\xaf\xe2\x81\xaa");
	/* bytes that are no utf 8 are questions */
	FILTERED("\xff\xfe\xc0\xaf\xc1", "?????");
	FILTERED("\xe0\x80\xaf", "???");      /* overlong */
	FILTERED("\xed\xa0\x80", "???");      /* a surrogate */
	FILTERED("\xf4\x90\x80\x80", "????"); /* past the end */
	FILTERED("a\xe6\x97", "a?");	      /* cut at the end */
	FILTERED("a\xe6\x97\x1b[0m\xe6"
		 "b",
		 "a??[0m?b");
}

TEST(test_a_line_stays_one)
{
	char line[] = "a\nb\tc\x1b\xe2\x80\xae\xc3\xbc\xe6";
	size_t bytes = terminal_line(line, sizeof(line) - 1);

	line[bytes] = '\0';
	assert_string_equal(line, "a?b?c??\xc3\xbc?");
}
