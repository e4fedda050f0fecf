/* Names, numbers and bytes as text: XML stays well-formed for all bytes, and labels are clipped at
 * characters; numbers have the digits that a reader needs, and the same ones in every locale;
 * base64 is that of RFC 4648, in whatever pieces the bytes come. */
#include "runtime/profile/base/gzip.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static void xml(const char *name, const char *expected)
{
	safe_text_xml(written_begin(), name, strlen(name));
	written_is(expected);
}

#define BAD "\xef\xbf\xbd"

TEST(text_is_safe_in_xml)
{
	xml("a<b>&\"c\"'", "a&lt;b&gt;&amp;&quot;c&quot;'");
	xml("]]>", "]]&gt;");
	xml("\x01\x1f\x7f", BAD BAD BAD);
	xml("a\tb", "a b");
	xml("\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5");
	xml("\xff\xfe\x80", BAD BAD BAD);
	xml("\xc3", BAD);
	xml("\xe2\x82", BAD BAD);
	xml("\xc0\xbc", BAD BAD);	  /* '<' in too many bytes */
	xml("\xe0\x80\xbc", BAD BAD BAD); /* and in more */
	xml("\xed\xa0\x80", BAD);	  /* a surrogate */
	xml("\xf4\x90\x80\x80", BAD BAD BAD BAD);
	xml("\xef\xbf\xbe\xef\xbf\xbf", BAD BAD); /* U+FFFE, U+FFFF */
	xml("\xe2\x80\xae", BAD);		  /* right-to-left override */
	xml("\xc2\x85", BAD);
}

TEST(labels_are_clipped_at_whole_characters)
{
	assert_int_equal(safe_text_fit("abcdef", 6, 4), 4);
	assert_int_equal(safe_text_fit("\xc3\xa9\xc3\xa9", 4, 1), 2);
	assert_int_equal(safe_text_fit("\xe6\xbc\xa2\xe5\xad\x97", 6, 3), 3);
	assert_int_equal(safe_text_fit("abc", 3, 100), 3);
}

struct number {
	double number;
	const char *text;
};

TEST(counts_are_grouped_by_thousands)
{
	static const struct {
		uint64_t count;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 1234567, "1,234,567" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		number_text_count(written_begin(), cases[i].count);
		written_is(cases[i].text);
	}
}

TEST(numbers_are_said_with_three_digits)
{
	static const struct number cases[] = {
		{ 0, "0" },
		{ 1, "1" },
		{ 1.5, "1.5" },
		{ 1.2345, "1.23" },
		{ 12.345, "12.3" },
		{ 99.94, "99.9" },
		{ 99.96, "100" },
		{ 123.4, "123" },
		{ 999.6, "1,000" },
		{ 123456, "123,456" },
		{ .0123456, "0.0123" },
		{ .05, "0.05" },
		{ .1, "0.1" },
		{ 1e-7, "0.0000001" },
		{ 1e300, "9,223,372,036,854,775,808" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[NUMBER_TEXT_SHORT_BYTES];

		number_text_short(text, cases[i].number);
		assert_string_equal(text, cases[i].text);
	}
}

TEST(fixed_numbers_have_two_decimals)
{
	static const struct number cases[] = {
		{ 0, "x=\"0.00\"" },
		{ 1.005, "x=\"1.00\"" },
		{ 12.345678, "x=\"12.35\"" },
		{ -.004, "x=\"0.00\"" },
		{ -2.5, "x=\"-2.50\"" },
		{ 1e12, "x=\"1000000000000.00\"" },
		{ 7e20, "x=\"92233720368547758.08\"" },
		{ -INFINITY, "x=\"-92233720368547758.08\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		number_text_fixed(written_begin(), "x=\"", cases[i].number, "\"");
		written_is(cases[i].text);
	}
}

TEST(a_time_just_below_a_unit_has_that_unit)
{
	number_text_value(written_begin(), 999499999, "ns");
	written_is("999 ms");
	number_text_value(written_begin(), 999500000, "ns");
	written_is("1 s");
}

static void writes(const char *bytes, size_t length, size_t piece, const char *expected)
{
	struct base64 text = { .file = written_begin() };

	for (size_t at = 0; at < length; at += piece)
		base64_write(&text, bytes + at, length - at < piece ? length - at : piece);
	base64_end(&text);
	written_is(expected);
}

TEST(pieces_of_any_size_make_the_same_text)
{
	for (size_t piece = 1; piece < 8; piece++) {
		writes("", 0, piece, "");
		writes("f", 1, piece, "Zg==");
		writes("fo", 2, piece, "Zm8=");
		writes("foo", 3, piece, "Zm9v");
		writes("foob", 4, piece, "Zm9vYg==");
		writes("fooba", 5, piece, "Zm9vYmE=");
		writes("foobar", 6, piece, "Zm9vYmFy");
		writes("\xff\xfe\0\xfb", 4, piece, "//4A+w==");
	}
}
