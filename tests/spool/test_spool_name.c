/* Names of spools: a name that was made is read back, and a name of another form is refused. */
#include <limits.h>

#include "runtime/spool/spool_name.h"
#include "tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char made[256];

TEST(what_is_made_is_read_back)
{
	static const struct spool_name names[] = {
		{ 1, 0 },
		{ 4711, 123456 },
		{ INT32_MAX, UINT64_MAX },
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct spool_name read = { 0 };

		assert_true(spool_name_make(made, sizeof(made), "/dev/shm", &names[i], 0xbeef));
		assert_true(spool_name_parse(made, &read));
		assert_int_equal(read.pid, names[i].pid);
		assert_int_equal(read.start_ticks, names[i].start_ticks);
	}
	assert_true(spool_name_make(made, sizeof(made), "/tmp", &names[1], UINT64_MAX));
	assert_string_equal(made, "/tmp/flametrap.4711.123456.ffffffffffffffff.spool");
	assert_true(spool_name_make(made, sizeof(made), ".", &names[0], 0));
	assert_string_equal(made, "./flametrap.1.0.0.spool");
}

TEST(a_path_counts_by_its_last_part)
{
	struct spool_name name;

	assert_true(spool_name_parse("flametrap.1.2.a.spool", &name));
	assert_true(spool_name_parse("/flametrap.9.9.9.spool/flametrap.1.2.a.spool", &name));
	assert_int_equal(name.pid, 1);
	assert_false(spool_name_parse("flametrap.1.2.a.spool/x", &name));
}

TEST(other_names_are_no_spools)
{
	static const char *const names[] = {
		"",
		"flametrap",
		"flametrap.",
		"flametrap.spool",
		"flametrap.1.spool",
		"flametrap.1.2.spool",
		"flametrap.1.2..spool",
		"flametrap.1.2.3",
		"flametrap.1.2.3.spoo",
		"flametrap.1.2.3.spool.gz",
		"flametrap.1.2.3.ended",
		"flametrap.x.2.3.spool",
		"flametrap..2.3.spool",
		"flametrap.1..3.spool",
		"flametrap.1.x.3.spool",
		"flametrap.-1.2.3.spool",
		"flametrap.+1.2.3.spool",
		"flametrap. 1.2.3.spool",
		"flametrap.1x.2.3.spool",
		"flametrap.1.2x.3.spool",
		"flametrap.2147483648.2.3.spool",
		"flametrap.18446744073709551617.2.3.spool",
		"flametrap.1.18446744073709551616.3.spool",
		"flametrap.1.99999999999999999999.3.spool",
		"Flametrap.1.2.3.spool",
		"xflametrap.1.2.3.spool",
		"flametrap-1.2.3.spool",
	};
	struct spool_name name;

	for (size_t i = 0; i < COUNT(names); i++)
		if (spool_name_parse(names[i], &name))
			fail_msg("%s is taken for a spool", names[i]);
}

TEST(images_of_a_process_are_numbered)
{
	struct spool_name name;

	assert_true(spool_name_make_image(made, sizeof(made), "/a.b/flametrap.1.2.beef.spool", 17));
	assert_string_equal(made, "/a.b/flametrap.1.2.17.spool");
	assert_true(spool_name_parse(made, &name));
	assert_true(spool_name_make_image(made, sizeof(made), "flametrap.1.2.17.spool", 0));
	assert_string_equal(made, "flametrap.1.2.0.spool");
	assert_false(spool_name_make_image(made, sizeof(made), "/a/app.12.spool", 0));
}

TEST(a_list_lies_beside_its_spool)
{
	assert_true(spool_name_make_list(made, sizeof(made), "/a/flametrap.1.2.3.spool"));
	assert_string_equal(made, "/a/flametrap.1.2.3.ended");
	assert_true(spool_name_is_list(made));
	assert_false(spool_name_is_list("/a/flametrap.1.2.3.spool"));
	assert_false(spool_name_is_list(".ended"));
	assert_false(spool_name_make_list(made, sizeof(made), "/a/flametrap.1.2.3.ended"));
	assert_false(spool_name_make_list(made, sizeof(made), ".spool"));
	assert_false(spool_name_make_list(made, sizeof(made), ""));
}

TEST(a_copy_has_its_stem_back)
{
	assert_true(spool_name_make_copy(made, sizeof(made), "out/a.b", 12, 1));
	assert_string_equal(made, "out/a.b.12.spool");
	assert_int_equal(spool_name_copy_stem(made), strlen("out/a.b"));
	assert_true(spool_name_make_copy(made, sizeof(made), "out/a.b", 12, 10000));
	assert_string_equal(made, "out/a.b.12-10000.spool");
	assert_int_equal(spool_name_copy_stem(made), strlen("out/a.b"));
}

TEST(other_names_are_no_copies)
{
	static const char *const names[] = {
		"",	     ".spool",	    "12.spool",	   ".12.spool",	  "a.spool",
		"a..spool",  "a.12.folded", "a.12-.spool", "a.-12.spool", "a12.spool",
		"a.x.spool",
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (spool_name_copy_stem(names[i]))
			fail_msg("%s is taken for a copy", names[i]);
}

TEST(a_run_has_directories_of_its_own)
{
	static const uint64_t random[2] = { 0x0123456789abcdef, UINT64_MAX };
	char secret[SPOOL_NAME_SECRET_SIZE];

	assert_true(spool_name_is_run("/tmp/" SPOOL_NAME_RUN));
	assert_true(spool_name_is_run("flametrap.a1B2c3"));
	assert_false(spool_name_is_run("/tmp/flametrap.12345"));
	assert_false(spool_name_is_run("/tmp/flametrap.1234567"));
	assert_false(spool_name_is_run("/tmp/flametrap.123456/x"));
	assert_false(spool_name_is_run("/tmp/Flametrap.123456"));
	spool_name_make_secret(secret, random);
	assert_int_equal(spool_name_run("/tmp/flametrap.12345/flametrap.1.2.3.spool"), 0);
	assert_int_equal(spool_name_run("/tmp/flametrap.a1B2c3"), 0);
	assert_int_not_equal(spool_name_run("/tmp/flametrap.a1B2c3/flametrap.1.2.3.spool"), 0);
	assert_int_not_equal(spool_name_run("/tmp/flametrap.a1B2c3/flametrap.1.2.3.spool"),
			     spool_name_run("/tmp/flametrap.a1B2c4/flametrap.1.2.3.spool"));
	assert_int_equal(spool_name_run("/tmp/flametrap.a1B2c3/flametrap.1.2.3.spool"),
			 spool_name_run("flametrap.a1B2c3/0123456789abcdef0123456789abcdef/x"));
	assert_true(spool_name_is_secret(secret));
	assert_int_equal(strlen(secret), 32);
	assert_string_equal(secret + 16, "ffffffffffffffff");
	assert_true(spool_name_is_secret("/tmp/flametrap.123456/0123456789abcdef0123456789abcdef"));
	assert_false(spool_name_is_secret("0123456789abcdef0123456789abcde"));
	assert_false(spool_name_is_secret("0123456789abcdef0123456789abcdef0"));
	assert_false(spool_name_is_secret("0123456789abcdef0123456789ABCDEF"));
	assert_false(spool_name_is_secret(""));
}

/* One byte too few for each; with it, each fits. */
TEST(what_does_not_fit_is_refused)
{
	static const char spool[] = "/d/flametrap.1.2.beef.spool";
	static const struct spool_name name = { 1, 2 };

	assert_true(spool_name_make(made, sizeof(spool), "/d", &name, 0xbeef));
	assert_false(spool_name_make(made, sizeof(spool) - 1, "/d", &name, 0xbeef));
	assert_true(spool_name_make_list(made, sizeof(spool), spool));
	assert_false(spool_name_make_list(made, sizeof(spool) - 1, spool));
	assert_true(spool_name_make_image(made, sizeof(spool), spool, 1000));
	assert_false(spool_name_make_image(made, sizeof(spool) - 1, spool, 1000));
	assert_true(spool_name_make_copy(made, sizeof("a.1-2.spool"), "a", 1, 2));
	assert_false(spool_name_make_copy(made, sizeof("a.1-2.spool") - 1, "a", 1, 2));
}
