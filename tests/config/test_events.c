/* The event grammar: an event string becomes these counters, and an error points at its byte. Names
 * of one processor's events are looked up by lent functions, or passed on as numbers. */
#include <linux/perf_event.h>

#include "config/events/events.h"
#include "config/events/known.h"
#include "config/events/lookup.h"
#include "tests/support/event_text.h"

static void reads_all(const char *text, unsigned count)
{
	reads(text);
	assert_int_equal(events.count, count);
	assert_false(events.defaulted);
}

static void is(unsigned i, const char *name, uint32_t type, uint64_t config, unsigned leader)
{
	assert_string_equal(events.event[i].name, name);
	assert_int_equal(events.event[i].type, type);
	assert_int_equal(events.event[i].config, config);
	assert_int_equal(events.event[i].leader, leader);
}

TEST(every_known_name_and_alias_is_read)
{
	for (size_t i = 0; i < known_count; i++) {
		if (known_table[i].refused)
			continue;
		reads_all(known_table[i].name, 1);
		is(0, known_table[i].name, known_table[i].type, known_table[i].config, 0);
		assert_int_equal(events.event[0].unit, known_table[i].unit);
		if (!known_table[i].alias)
			continue;
		reads_all(known_table[i].alias, 1);
		is(0, known_table[i].alias, known_table[i].type, known_table[i].config, 0);
	}
}

TEST(all_generic_events_of_the_kernel_have_a_name)
{
	bool hardware[PERF_COUNT_HW_MAX] = { false };
	bool software[PERF_COUNT_SW_MAX] = { false };

	for (size_t i = 0; i < known_count; i++) {
		if (known_table[i].type == PERF_TYPE_HARDWARE)
			hardware[known_table[i].config] = true;
		else
			software[known_table[i].config] = true;
	}
	for (size_t i = 0; i < PERF_COUNT_HW_MAX; i++)
		assert_true(hardware[i]);
	for (size_t i = 0; i < PERF_COUNT_SW_MAX; i++)
		assert_true(software[i]);
}

TEST(lists_of_events_are_read)
{
	/* perf aliases mean the same */
	reads_all("cpu-cycles,faults,cs,migrations,branch-instructions", 5);
	is(0, "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0);
	is(1, "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	is(2, "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 2);
	is(3, "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 3);
	is(4, "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 4);
	/* only clocks count nanoseconds */
	reads_all("task-clock,cpu-clock,page-faults,cycles", 4);
	assert_int_equal(events.event[0].unit, EVENTS_UNIT_NS);
	assert_int_equal(events.event[1].unit, EVENTS_UNIT_NS);
	assert_int_equal(events.event[2].unit, EVENTS_UNIT_COUNT);
	assert_int_equal(events.event[3].unit, EVENTS_UNIT_COUNT);
	/* groups have a leader */
	reads_all("task-clock,{cycles,instructions},{page-faults},cs", 5);
	is(0, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0);
	is(1, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1);
	is(2, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1);
	is(3, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 3);
	is(4, "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 4);
}

TEST(modifiers_choose_the_side_of_events_and_groups)
{
	/* modifiers choose the side */
	reads_all("cycles:u,instructions:k,page-faults:uk,cs", 4);
	assert_true(events.event[0].user_only && !events.event[0].kernel_only);
	assert_true(events.event[1].kernel_only && !events.event[1].user_only);
	assert_false(events.event[2].user_only || events.event[2].kernel_only);
	assert_false(events.event[3].user_only || events.event[3].kernel_only);
	assert_string_equal(events.event[0].name, "cycles:u");
	assert_string_equal(events.event[2].name, "page-faults:uk");
	reads_all("cycles:ku", 1);
	assert_string_equal(events.event[0].name, "cycles:uk");
	/* modifiers of a group are added to its members */
	reads_all("{cycles:k,instructions}:u,task-clock", 3);
	assert_string_equal(events.event[0].name, "cycles:uk");
	assert_false(events.event[0].user_only || events.event[0].kernel_only);
	assert_string_equal(events.event[1].name, "instructions:u");
	assert_true(events.event[1].user_only);
	assert_string_equal(events.event[2].name, "task-clock");
}

TEST(terms_set_rate_and_name)
{
	reads_all("task-clock/period=1000000,name=time/u,cycles/freq=99/:k,cs/period=0x10/", 3);
	assert_string_equal(events.event[0].name, "time");
	assert_true(events.event[0].user_only);
	assert_int_equal(events.event[0].period, 1000000);
	assert_int_equal(events.event[1].frequency_hz, 99);
	assert_string_equal(events.event[1].name, "cycles:k");
	assert_true(events.event[1].kernel_only);
	assert_int_equal(events.event[2].period, 16);
	assert_string_equal(events.event[2].name, "cs");
	reads_all("{cycles/period=5/,instructions/name=i-1/}", 2);
	assert_string_equal(events.event[1].name, "i-1");
}

TEST(wrong_lists_are_pointed_at)
{
	/* broken lists are pointed at */
	refuses("", 0, "it is empty");
	refuses(",cycles", 0, "',' at 1 is not an event name");
	refuses("cycles,,cs", 7, "',' at 8 is not an event name");
	refuses("cycles,", 7, "it ends at 7 without an event name");
	refuses("{cycles", 7, "it ends at 7 without ',' or '}'");
	refuses("{}", 1, "'}' at 2 is not an event name");
	refuses("{cycles}}", 8, "'}' at 9 is not ',' or ':' or '/'");
	refuses("{{cycles}}", 1, "'{' at 2 is not an event name");
	refuses("cycles}", 6, "'}' at 7 is not ',' or ':' or '/'");
	refuses("cycles cs", 6, "' ' at 7 is not ',' or ':' or '/'");
	refuses("cycles:", 7, "it ends at 7 without a modifier (u k h H p P S D e W I)");
	refuses("cycles:uq", 8, "'q' at 9 is not ',' or ':' or '/'");
	refuses("cycles:u:k", 8, "':' at 9 is not ',' or ':' or '/'");
	refuses("\x01", 0, "'\\x01' at 1 is not an event name");
	/* broken terms are pointed at */
	refuses("cycles/", 7, "it ends at 7 without a word");
	refuses("cycles/period", 13, "it ends at 13 without '='");
	refuses("cycles/period=5", 15, "it ends at 15 without ',' or '/'");
	refuses("cycles/period=0/", 14, "'0' at 15 would never take a sample");
	refuses("cycles/period=x/", 14, "'x' at 15 is not a digit");
	refuses("cycles/perod=5/", 7, "'perod' at 8 is unknown, nearest: period");
	refuses("cycles/period=5,freq=9/", 21, "a second rate, '9' at 22, for one event");
	refuses("{cycles,cs/period=5/}", 18,
		"a rate for a member: only a group's first event takes samples");
	refuses("cycles/name=/", 12, "'/' at 13 is not a name");
	refuses("cycles/period=5/q", 16, "'q' at 17 is not a modifier (u k h H p P S D e W I)");
	/* unknown names are answered with the nearest */
	refuses("cylces", 0, "'cylces' at 1 is not a known event, nearest: cycles");
	refuses("cycles,tsk-clock:u", 7,
		"'tsk-clock' at 8 is not a known event, nearest: task-clock");
	refuses("page-fault/period=9/", 0,
		"'page-fault' at 1 is not a known event, nearest: page-faults");
	refuses("zzzzzzzzzzzzzzzzzzzzzz", 0, "'zzzzzzzzzzzzzzzzzzzzzz' at 1 is not a known event");
}

TEST(two_events_of_one_name_would_share_a_file)
{
	refuses("cycles,cs,cycles", 10,
		"'cycles' at 11 has the name of an earlier event; give it another with "
		"/name=TEXT/");
	refuses("cycles:u,cs/name=cycles-u/", 9,
		"'cycles-u' at 10 has the name of an earlier event; give it another with "
		"/name=TEXT/");
	reads_all("cycles,cycles:u,cycles/name=c/", 3);
}

TEST(sixteen_events_and_no_more)
{
	char text[1024] = "cycles";

	for (unsigned i = 1; i < EVENTS_MAX; i++)
		sprintf(text + strlen(text), ",cs/name=n%u/", i);
	reads_all(text, EVENTS_MAX);
	strcat(text, ",cs");
	refuses(text, strlen(text) - 2,
		"'cs' at 194 is one more than the 16 events that one run counts");
}

TEST(a_name_has_at_most_63_bytes)
{
	char text[128] = "cs/name=";

	memset(text + 8, 'n', 63);
	strcpy(text + 8 + 63, "/");
	reads_all(text, 1);
	assert_int_equal(strlen(events.event[0].name), 63);
	strcpy(text + 8 + 63, "n/");
	assert_int_equal(events_parse(&events, text, &(struct complaint){ 0 }), -22);
}

TEST(the_attribute_says_what_the_event_says)
{
	struct perf_event_attr attr;

	reads_all("task-clock:u,cycles/period=7/k,cs", 3);
	events_attr(&events.event[0], 0, 999, true, &attr);
	assert_int_equal(attr.size, sizeof(attr));
	assert_int_equal(attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(attr.config, PERF_COUNT_SW_TASK_CLOCK);
	assert_true(attr.exclude_kernel && attr.exclude_hv && !attr.exclude_user);
	assert_true(attr.freq);
	assert_int_equal(attr.sample_freq, 999);

	events_attr(&events.event[1], 0, 999, true, &attr);
	assert_true(attr.exclude_user && !attr.exclude_kernel);
	assert_false(attr.freq); /* its own period goes before the general frequency */
	assert_int_equal(attr.sample_period, 7);

	events_attr(&events.event[2], 1000, 0, false, &attr);
	assert_true(attr.exclude_kernel && !attr.exclude_user && !attr.freq);
	assert_int_equal(attr.sample_period, 1000);
	events_attr(&events.event[2], 0, 0, true, &attr);
	assert_int_equal(attr.sample_period, 0);
	assert_false(attr.freq || attr.exclude_kernel);
}

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
