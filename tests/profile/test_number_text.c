/* Numbers as text have the digits that a reader needs, and the same ones in every locale. */
#include "runtime/profile/base/number_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

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
