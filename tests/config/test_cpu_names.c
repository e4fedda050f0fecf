/* Names of one processor's events: looked up by lent functions, or passed on as numbers. */
#include <linux/perf_event.h>

#include "config/events/lookup.h"
#include "tests/support/event_text.h"

/* A library that knows two events of one processor. */
static int encode(const char *name, struct lookup_code *code)
{
	bool hit = strcmp(name, "L1D.HIT") == 0;

	if (!hit && strcmp(name, "skl::INST_RETIRED.ANY_P") != 0)
		return -ENOENT;
	*code = (struct lookup_code){ .type = PERF_TYPE_RAW, .config = hit ? 0x1d1 : 0xc0 };
	code->config1 = hit ? 0x3f801c0001 : 0;
	return 0;
}

static const char *nearest(const char *name)
{
	return name[0] == 'L' ? "L1D.HIT" : NULL;
}

static const struct lookup with_library = { .encode = encode, .nearest = nearest };

TEST(a_processors_own_names_are_asked_of_a_library)
{
	const struct event *event;

	lookup_use(&with_library);
	event = reads("{L1D.HIT/period=7/,skl::INST_RETIRED.ANY_P}:u");
	assert_int_equal(event[0].type, PERF_TYPE_RAW);
	assert_int_equal(event[0].config, 0x1d1);
	assert_int_equal(event[0].config1, 0x3f801c0001);
	assert_int_equal(event[0].period, 7);
	assert_true(event[0].user_only && event[1].user_only);
	assert_string_equal(event[0].name, "L1D.HIT:u");
	assert_int_equal(event[1].config, 0xc0);
	assert_string_equal(event[1].name, "skl::INST_RETIRED.ANY_P:u");
	assert_int_equal(reads("cycles")->type, PERF_TYPE_HARDWARE);
	refuses("L1D.HOT:u", 0, "'L1D.HOT' at 1 is not a known event, nearest: L1D.HIT");
	refuses("cycls", 0, "'cycls' at 1 is not a known event, nearest: cycles");
	refuses("ZZZ.ABC", 0, "'ZZZ.ABC' at 1 is not a known event");
	lookup_use(NULL);
	refuses("skl::L1D.HIT", 0,
		"'skl::L1D.HIT' at 1 is not a known event; a processor's own names need libpfm4 "
		"and "
		"the flametrap command");
	refuses("cycls", 0, "'cycls' at 1 is not a known event, nearest: cycles");
}

TEST(what_a_library_said_elsewhere_is_enough)
{
	const struct event *event;

	lookup_encoded("L1D.HIT=4:1d1:3f801c0001:ffffffffffffffff,skl::A.B=9:0:0:0,BAD=4:zz,");
	event = reads("skl::A.B:u,L1D.HIT/name=hits/");
	assert_int_equal(event[0].type, 9);
	assert_int_equal(event[1].config, 0x1d1);
	assert_int_equal(event[1].config1, 0x3f801c0001);
	assert_int_equal(event[1].config2, UINT64_MAX);
	assert_string_equal(event[1].name, "hits");
	refuses("L1D.HI", 0,
		"'L1D.HI' at 1 is not a known event; a processor's own names need libpfm4 and the "
		"flametrap command");
	refuses("BAD", 0, "'BAD' at 1 is not a known event");
	lookup_encoded(NULL);
}
