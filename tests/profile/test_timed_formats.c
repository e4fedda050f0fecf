/* Formats with time: perf script has one record for each sample, in the order of time, in words
 * that its readers can tell apart; a thread's samples in speedscope are as long as the time that
 * they stand for, with gaps between them.  Without times, or on a full disk, there is none. */
#include "runtime/output/formats/speedscope.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/merge/profile.h"
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

static void assert_profiles(const struct timed_profile *made, enum settings_weight weight,
			    unsigned profiles, const char *expected)
{
	struct string_table frames = { 0 };
	struct speedscope_timed *timed;
	struct json json = { .file = written_begin(), .comma = true };

	assert_int_equal(speedscope_timed_new(made->profile, weight, &frames, &timed), 0);
	assert_int_equal(speedscope_timed_write(timed, &json), profiles);
	written_is(expected);
	speedscope_timed_free(timed);
	string_table_free(&frames);
}

TEST_OF(struct timed_profile *made, a_sample_ends_at_its_time_and_gaps_have_no_stack)
{
	made->timeline.end_ns = 100;
	timed_profile_sample(made, 20, 0, TIMED_PROFILE_LIBRARY, 0, 1, 5);
	timed_profile_sample(made, 30, 0, TIMED_PROFILE_LIBRARY, 0, 1, 10);
	timed_profile_sample(made, 60, 0, TIMED_PROFILE_MAIN, 0, 1, 10);
	assert_profiles(made, SETTINGS_WEIGHT_AUTO, 1,
			",\n{\"type\":\"sampled\",\"name\":\"task-clock: a b/4242\","
			"\"unit\":\"nanoseconds\",\"startValue\":0,\"samples\":[\n"
			"[],\n[2,1,0],\n[],\n[2,1],\n[]],\n"
			"\"endValue\":100,\"weights\":[15,15,20,10,40]}");
}

TEST_OF(struct timed_profile *made, threads_and_counters_have_profiles_of_their_own)
{
	timed_profile_counters(made, 3);
	made->timeline.end_ns = 40;
	timed_profile_sample(made, 10, 0, TIMED_PROFILE_MAIN, 0, 1, 10);
	timed_profile_sample(made, 20, 1, TIMED_PROFILE_MAIN, 2, 3, 7);
	timed_profile_sample(made, 40, 1, TIMED_PROFILE_MAIN, 1, 0, 40);
	timed_profile_sample(made, 40, 1, TIMED_PROFILE_NONE, 1, 0, 40);
	assert_profiles(made, SETTINGS_WEIGHT_AUTO, 3,
			",\n{\"type\":\"sampled\",\"name\":\"task-clock: a b/4242\","
			"\"unit\":\"nanoseconds\",\"startValue\":0,\"samples\":[\n[1,0],\n[]],\n"
			"\"endValue\":40,\"weights\":[10,30]}"
			",\n{\"type\":\"sampled\",\"name\":\"off-cpu: \ufffd\\u0022\\u003c\ufffd"
			"\\u003e/4243\","
			"\"unit\":\"nanoseconds\",\"startValue\":0,\"samples\":[\n[1,0]],\n"
			"\"endValue\":40,\"weights\":[40]}"
			",\n{\"type\":\"sampled\",\"name\":\"counter2: \ufffd\\u0022\\u003c\ufffd"
			"\\u003e/4243\","
			"\"unit\":\"none\",\"startValue\":0,\"samples\":[\n[1,0]],\n"
			"\"endValue\":3,\"weights\":[3]}");
}

TEST_OF(struct timed_profile *made, samples_have_no_gaps_when_they_are_counted)
{
	timed_profile_sample(made, 10, 0, TIMED_PROFILE_MAIN, 0, 1, 10);
	timed_profile_sample(made, 90, 0, TIMED_PROFILE_LIBRARY, 0, 2, 10);
	assert_profiles(made, SETTINGS_WEIGHT_SAMPLES, 1,
			",\n{\"type\":\"sampled\",\"name\":\"task-clock: a b/4242\","
			"\"unit\":\"none\",\"startValue\":0,\"samples\":[\n[1,0],\n[1,0,2]],\n"
			"\"endValue\":3,\"weights\":[1,2]}");
}

static format_writer *const writers[] = { format_firefox, format_perfetto, format_perfscript };

TEST(without_times_there_is_nothing_to_write)
{
	struct profile *profile = profile_new(&(struct profile_options){ .locations = true });
	const struct format_content content = { .profile = profile };

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(writers[i](&content, stdout), -EINVAL);
	profile_free(profile);
}

TEST_OF(struct timed_profile *made, a_full_disk_is_an_error)
{
	const struct format_content content = { .profile = made->profile };

	timed_profile_sample(made, 10, 0, TIMED_PROFILE_MAIN, 0, 1, 7);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(writers[i](&content, written_full()), -EIO);
}
