/* Names as text: whatever bytes they hold, XML and JSON stay whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/fold/graph_text.h"

static char *text_of(void (*write)(FILE *, const char *, size_t), const char *name, size_t bytes)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	assert_non_null(file);
	write(file, name, bytes);
	fclose(file);
	return text;
}

static void xml(const char *name, const char *expected)
{
	char *text = text_of(graph_text_xml, name, strlen(name));

	assert_string_equal(text, expected);
	free(text);
}

#define BAD "\xef\xbf\xbd"

static void text_is_safe_in_xml(void **state)
{
	(void)state;
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

static void text_is_safe_in_json_inside_xml(void **state)
{
	char *text = text_of(graph_text_json, "a\"\\<&>\n\xff", 8);

	(void)state;
	assert_string_equal(text, "\"a\\u0022\\u005c\\u003c\\u0026\\u003e" BAD BAD "\"");
	free(text);
}

static void labels_are_clipped_at_whole_characters(void **state)
{
	(void)state;
	assert_int_equal(graph_text_fit("abcdef", 6, 4), 4);
	assert_int_equal(graph_text_fit("\xc3\xa9\xc3\xa9", 4, 1), 2);
	assert_int_equal(graph_text_fit("\xe6\xbc\xa2\xe5\xad\x97", 6, 3), 3);
	assert_int_equal(graph_text_fit("abc", 3, 100), 3);
}

static void counts_are_grouped_by_thousands(void **state)
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

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = NULL;
		size_t bytes;
		FILE *file = open_memstream(&text, &bytes);

		assert_non_null(file);
		graph_text_count(file, cases[i].count);
		fclose(file);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static void numbers_are_said_with_three_digits(void **state)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = {
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

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[GRAPH_TEXT_SHORT_BYTES];

		graph_text_short(text, cases[i].number);
		assert_string_equal(text, cases[i].text);
	}
}

static void fixed_numbers_have_two_decimals(void **state)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = {
		{ 0, "x=\"0.00\"" },	      { 1.005, "x=\"1.00\"" },
		{ 12.345678, "x=\"12.35\"" }, { -.004, "x=\"0.00\"" },
		{ -2.5, "x=\"-2.50\"" },      { 1e12, "x=\"1000000000000.00\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = NULL;
		size_t bytes;
		FILE *file = open_memstream(&text, &bytes);

		assert_non_null(file);
		graph_text_fixed(file, "x=\"", cases[i].number, "\"");
		fclose(file);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_safe_in_xml),
		cmocka_unit_test(text_is_safe_in_json_inside_xml),
		cmocka_unit_test(labels_are_clipped_at_whole_characters),
		cmocka_unit_test(counts_are_grouped_by_thousands),
		cmocka_unit_test(numbers_are_said_with_three_digits),
		cmocka_unit_test(fixed_numbers_have_two_decimals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
