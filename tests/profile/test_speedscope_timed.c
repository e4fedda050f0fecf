/* A thread's samples are in the order of time, as long as the time that they stand for, with gaps
 * between them. */
#include "runtime/profile/base/json.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/output/formats/speedscope.h"
#include "tests/support/timed_profile.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static void assert_written(const struct timed_profile *made, enum settings_weight weight,
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
	assert_written(made, SETTINGS_WEIGHT_AUTO, 1,
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
	assert_written(made, SETTINGS_WEIGHT_AUTO, 3,
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
	assert_written(made, SETTINGS_WEIGHT_SAMPLES, 1,
		       ",\n{\"type\":\"sampled\",\"name\":\"task-clock: a b/4242\","
		       "\"unit\":\"none\",\"startValue\":0,\"samples\":[\n[1,0],\n[1,0,2]],\n"
		       "\"endValue\":3,\"weights\":[1,2]}");
}
