/* The JSON writer: commas, keys, lines, escapes and numbers. */
#include "runtime/profile/base/json.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define BAD "\xef\xbf\xbd"

static struct json json;

UNIT(setup)
{
	json = (struct json){ .file = written_begin() };
	return 0;
}

static void expect(const char *expected)
{
	assert_int_equal(ferror(json.file), 0);
	written_is(expected);
}

TEST(commas_stand_between_items_of_all_levels)
{
	json_object(&json, NULL);
	json_array(&json, "empty");
	json_end(&json, "]");
	json_array(&json, "nested");
	json_array(&json, NULL);
	json_object(&json, NULL);
	json_end(&json, "}");
	json_uint(&json, NULL, 1);
	json_end(&json, "]");
	json_array(&json, NULL);
	json_end(&json, "]]");
	json_null(&json, "last");
	json_end(&json, "}");
	expect("{\"empty\":[],\"nested\":[[{},1],[]],\"last\":null}");
}

TEST(members_of_an_object_are_written_by_their_conversions)
{
	const char *volatile none = NULL; /* unknown to the compiler */

	json_record(&json, NULL, "name:%s none:%s u:%u lu:%lu d:%d ld:%ld yes:%hhd no:%hhd", "a\"b",
		    none, 4000000000U, UINT64_MAX, -1, INT64_MIN, true, false);
	json_object(&json, NULL);
	json_members(&json, "third:%.3g zu:%zu", 1 / 3., sizeof(uint64_t));
	json_members(&json, "infinite:%.3g", INFINITY);
	json_end(&json, "}");
	expect("{\"name\":\"a\\u0022b\",\"none\":null,\"u\":4000000000,"
	       "\"lu\":18446744073709551615,\"d\":-1,\"ld\":-9223372036854775808,"
	       "\"yes\":true,\"no\":false},"
	       "{\"third\":0.333,\"zu\":8,\"infinite\":null}");
}

TEST(a_line_begins_behind_the_comma)
{
	json_array(&json, NULL);
	json_line(&json);
	json_uint(&json, NULL, 1);
	json_next_line(&json);
	json_uint(&json, NULL, 2);
	json_list(&json, NULL);
	json_next_line(&json);
	json_uint(&json, NULL, 3);
	json_row(&json);
	json_uint(&json, "a", 4);
	json_end(&json, "}]]");
	expect("[\n1,\n2,\n[3,\n{\"a\":4}]]");
}

TEST(texts_of_any_bytes_are_strings)
{
	json_array(&json, NULL);
	json_text(&json, NULL, "a\"\\<&>\n\t");
	json_text(&json, NULL, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5");
	json_text(&json, NULL, "\xff\xc3");
	json_bytes(&json, NULL, "abc", 2);
	json_text(&json, NULL, "");
	json_text(&json, NULL, NULL);
	json_end(&json, "]");
	expect("[\"a\\u0022\\u005c\\u003c\\u0026\\u003e" BAD " \","
	       "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5\",\"" BAD BAD "\",\"ab\",\"\",null]");
}

TEST(lines_keep_their_ends)
{
	json_object(&json, NULL);
	json_lines(&json, "text", "a\r\nb\r\tc\n", 8);
	json_end(&json, "}");
	expect("{\"text\":\"a\\nb" BAD "\\tc\\n\"}");
}

TEST(a_string_may_have_parts)
{
	json_object(&json, NULL);
	json_text_begin(&json, "text");
	json_part(&json, "a<");
	json_part(&json, "");
	json_part(&json, "b");
	json_text_end(&json);
	json_bool(&json, "more", true);
	json_end(&json, "}");
	expect("{\"text\":\"a\\u003cb\",\"more\":true}");
}

TEST(numbers_have_the_digits_asked_for)
{
	json_array(&json, NULL);
	json_uint(&json, NULL, 0);
	json_uint(&json, NULL, UINT64_MAX);
	json_int(&json, NULL, INT64_MIN);
	json_real(&json, NULL, 1.0 / 3, 6);
	json_real(&json, NULL, 1e300, 15);
	json_real(&json, NULL, NAN, 6);
	json_real(&json, NULL, -INFINITY, 6);
	json_bool(&json, NULL, false);
	fputs("1.50", json_value(&json, NULL));
	json_raw(&json, "2,3");
	json_end(&json, "]");
	expect("[0,18446744073709551615,-9223372036854775808,0.333333,1e+300,null,null,"
	       "false,1.50,2,3]");
}
