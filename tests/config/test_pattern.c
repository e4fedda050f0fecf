/* Output patterns stand for exactly one name; shell patterns match as they do for a shell. */
#include "config/settings/pattern.h"
#include "config/text/glob.h"
#include "tests/support/unit.h"

static char *const environment[] = {
	(char *)"RANK=12",
	(char *)"SLASHED=a/b/../c",
	(char *)"EMPTY=",
	NULL,
};

static const struct pattern_values values = {
	.pid = 4711,
	.executable = "my app",
	.host = "box",
	.seconds = 1700000000,
	.sequence = 3,
	.environment = environment,
};

static void resolves(const char *pattern, const char *expected)
{
	struct complaint complaint;
	char out[256];

	assert_int_equal(pattern_check(pattern, &complaint), 0);
	assert_int_equal(pattern_resolve(pattern, &values, out, sizeof(out)), 0);
	assert_string_equal(out, expected);
}

static void refuses(const char *pattern, size_t at)
{
	struct complaint complaint = { 0 };

	assert_int_equal(pattern_check(pattern, &complaint), -22);
	assert_int_equal(complaint.at, at);
	assert_true(complaint.reason[0]);
}

TEST(placeholders_have_values_and_wrong_ones_are_pointed_at)
{
	/* each placeholder has its value */
	resolves("flametrap.%e.%p", "flametrap.my app.4711");
	resolves("%h-%t-%n", "box-1700000000-3");
	resolves("r%{RANK}%%", "r12%");
	resolves("%%p", "%p");
	resolves("plain", "plain");
	resolves("dir/%p/x", "dir/4711/x");
	/* wrong placeholders are pointed at */
	refuses("", 0);
	refuses("a%", 1);
	refuses("ab%P", 2);
	refuses("abc%{X", 3);
	refuses("%{}", 0);
	refuses("%p/", 2);
}

TEST(values_add_no_directories)
{
	struct pattern_values hostile = values;
	char out[64];

	resolves("%{SLASHED}", "a_b_.._c");
	hostile.executable = "../../etc/passwd";
	assert_int_equal(pattern_resolve("out/%e", &hostile, out, sizeof(out)), 0);
	assert_string_equal(out, "out/.._.._etc_passwd");
}

TEST(what_is_unset_gives_nothing)
{
	struct pattern_values bare = { 0 };
	char out[64];

	resolves("a%{UNSET}b%{EMPTY}c", "abc");
	assert_int_equal(pattern_resolve("%e%h%{RANK}%p", &bare, out, sizeof(out)), 0);
	assert_string_equal(out, "0");
}

TEST(a_variable_name_has_a_bounded_length)
{
	char pattern[300];

	memset(pattern, 'A', sizeof(pattern));
	memcpy(pattern, "%{", 2);
	strcpy(pattern + 257, "}");
	assert_int_equal(pattern_check(pattern, &(struct complaint){ 0 }), 0);
	strcpy(pattern + 257, "A}");
	refuses(pattern, 0);
}

TEST(a_name_that_does_not_fit_is_refused)
{
	char out[8];

	assert_int_equal(pattern_resolve("123456", &values, out, sizeof(out)), 0);
	assert_string_equal(out, "123456");
	assert_int_equal(pattern_resolve("12345678", &values, out, sizeof(out)), -36);
	assert_int_equal(pattern_resolve("%t", &values, out, sizeof(out)), -36);
	assert_int_equal(pattern_resolve("x", &values, out, 0), -36);
}

TEST(shell_patterns_match_whole_names)
{
	assert_true(glob_match("cc1", "cc1"));
	assert_false(glob_match("cc", "cc1"));
	assert_true(glob_match("cc*", "cc1plus"));
	assert_true(glob_match("*", ""));
	assert_false(glob_match("?", ""));
	assert_true(glob_match("*plus", "cc1plusplus"));
	assert_true(glob_match("a*b*c", "a-b-b-c"));
	assert_false(glob_match("a*b*c", "a-b-b-d"));
	assert_true(glob_match("[a-c]x", "bx"));
	assert_false(glob_match("[!a-c]x", "bx"));
	assert_true(glob_match("[]x]", "]"));
	assert_true(glob_match("[a-]", "-"));
	assert_true(glob_match("\\*", "*"));
	assert_false(glob_match("\\*", "x"));
	assert_true(glob_match("[\xc3]*", "\xc3\xa9"));
}

TEST(a_hostile_shell_pattern_takes_bounded_time)
{
	char pattern[2001], name[2001];

	for (size_t i = 0; i < 2000; i += 2)
		memcpy(pattern + i, "*a", 2);
	memset(name, 'a', 2000);
	strcpy(pattern + 1998, "*b");
	name[2000] = '\0';
	assert_false(glob_match(pattern, name));
}

TEST(broken_shell_patterns_are_pointed_at)
{
	struct complaint complaint = { 0 };

	assert_int_equal(glob_check("[a-z]*?\\[", &complaint), 0);
	assert_int_equal(glob_check("ab[c", &complaint), -22);
	assert_int_equal(complaint.at, 2);
	assert_int_equal(glob_check("ab\\", &complaint), -22);
	assert_int_equal(complaint.at, 2);
	assert_int_equal(glob_check("a/b", &complaint), -22);
	assert_int_equal(complaint.at, 1);
	assert_int_equal(glob_check("", &complaint), -22);
}
