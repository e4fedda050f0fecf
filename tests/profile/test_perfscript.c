/* The text of perf script: one record for each sample, in the order of time, in words that its
 * readers can tell apart. */
#include "tests/support/timed_profile.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static void assert_text(const struct timed_profile *made, const char *expected)
{
	timed_profile_write(made, format_perfscript);
	written_is(expected);
}

TEST_OF(struct timed_profile *made, a_sample_is_a_line_and_its_frames_leaf_first)
{
	timed_profile_sample(made, 1500000001, 0, TIMED_PROFILE_LIBRARY, 0, 1, 1000000);
	timed_profile_sample(made, 1501000000, 0, TIMED_PROFILE_MAIN, 0, 4, 4000000);
	assert_text(made, "a_b 4242/4242 1001.500000001: 1000000 task-clock: \n"
			  "\t    7f0000000020 [lib (1).so] (/no/lib__1_.so)\n"
			  "\t          400010 [program] (/no/program)\n"
			  "\n"
			  "a_b 4242/4242 1001.501000000: 4000000 task-clock: \n"
			  "\t          400010 [program] (/no/program)\n"
			  "\n");
}

TEST_OF(struct timed_profile *made, a_script_has_no_address_and_hostile_names_stay_words)
{
	timed_profile_sample(made, 0, 1, TIMED_PROFILE_SCRIPT, 0, 1, 5);
	assert_text(made, "\ufffd\"<\ufffd> 4242/4243 1000.000000000: 5 task-clock: \n"
			  "\t               0 script.a?\ufffd b ([python])\n"
			  "\t    7f0000000020 [lib (1).so] (/no/lib__1_.so)\n"
			  "\t          400010 [program] (/no/program)\n"
			  "\n");
}

TEST_OF(struct timed_profile *made, every_counter_is_an_event_and_stacks_left_out_are_left_out)
{
	timed_profile_counters(made, 2);
	timed_profile_sample(made, 10, 0, TIMED_PROFILE_MAIN, 0, 1, 7);
	timed_profile_sample(made, 20, 0, TIMED_PROFILE_NONE, 0, 1, 7);
	timed_profile_sample(made, 30, 0, TIMED_PROFILE_MAIN, 1, 0, 20);
	assert_text(made, "a_b 4242/4242 1000.000000010: 7 task-clock: \n"
			  "\t          400010 [program] (/no/program)\n"
			  "\n"
			  "a_b 4242/4242 1000.000000030: 20 off-cpu: \n"
			  "\t          400010 [program] (/no/program)\n"
			  "\n");
}

TEST(without_times_there_is_nothing_to_write)
{
	timed_profile_refuse(format_perfscript);
}

TEST_OF(struct timed_profile *made, a_full_disk_is_an_error)
{
	timed_profile_fill_disk(made, format_perfscript);
}
