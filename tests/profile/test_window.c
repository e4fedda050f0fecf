/* A moment that a user names is found in the profile, whatever the form; one that cannot be meant
 * is refused with a line that names it. */
#include "runtime/profile/time/window.h"
#include "tests/support/unit.h"

#define S 1000000000ull

/* 2026-03-28T20:00:00Z, in the evening before Europe sets its clocks forward */
#define EVENING (1774728000 * S)

static char line[512];

static void use_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

UNIT(setup)
{
	use_zone("UTC");
	return 0;
}

static struct window_moment parse(const char *text)
{
	struct window_moment moment = { 0 };

	if (window_parse("from", text, &moment, line, sizeof(line)))
		fail_msg("%s: %s", text, line);
	return moment;
}

static void assert_moment(const char *text, enum window_base base, uint64_t ns)
{
	struct window_moment moment = parse(text);

	if (moment.base != base || moment.ns != ns)
		fail_msg("%s is %u, %llu, not %u, %llu", text, moment.base,
			 (unsigned long long)moment.ns, base, (unsigned long long)ns);
}

static struct window_span span; /* that was placed last */

/* Places a window, in whole seconds, in a profile from `start` to `end`; NULL: no bound. */
static int place(const char *from, const char *to, uint64_t start, uint64_t end)
{
	struct window window = { 0 };

	if (from)
		window.from = parse(from);
	if (to)
		window.to = parse(to);
	return window_place(&window, start, end, &span, line, sizeof(line));
}

static void assert_placed(const char *from, const char *to, uint64_t start, uint64_t end,
			  uint64_t from_ns, uint64_t to_ns)
{
	assert_int_equal(place(from, to, start, end), 0);
	assert_int_equal(span.from_ns, from_ns);
	assert_int_equal(span.to_ns, to_ns);
}

TEST(moments_have_many_forms)
{
	/* durations are relative to the start */
	assert_moment("3", WINDOW_START, 3 * S);
	assert_moment("1.5s", WINDOW_START, S + S / 2);
	assert_moment("200ms", WINDOW_START, S / 5);
	assert_moment("2m", WINDOW_START, 120 * S);
	assert_moment("0", WINDOW_START, 0);
	/* negative ones to the end */
	assert_moment("-5s", WINDOW_END, 5 * S);
	assert_moment("-1.25", WINDOW_END, S + S / 4);
	assert_moment("-0", WINDOW_END, 0);
}

TEST(clock_times_have_a_date_and_a_zone_or_not)
{
	uint64_t day = 1795392000 * S; /* 2026-11-23 */

	assert_moment("14:02:33", WINDOW_DAY, (14 * 3600 + 2 * 60 + 33) * S);
	assert_moment("14:02", WINDOW_DAY, (14 * 3600 + 2 * 60) * S);
	assert_moment("00:00:00.000000001", WINDOW_DAY, 1);
	assert_moment("2026-11-23T14:02:33", WINDOW_CLOCK, day + 50553 * S);
	assert_moment("2026-11-23 14:02:33", WINDOW_CLOCK, day + 50553 * S);
	assert_moment("2026-11-23T14:02:33.5Z", WINDOW_CLOCK, day + 50553 * S + S / 2);
	assert_moment("2026-11-23T14:02:33+01:00", WINDOW_CLOCK, day + 46953 * S);
	assert_moment("2026-11-23T14:02:33-0330", WINDOW_CLOCK, day + (50553 + 12600) * S);
	assert_moment("2024-02-29T00:00Z", WINDOW_CLOCK, 1709164800 * S);
	assert_moment("1970-01-01T00:00Z", WINDOW_CLOCK, 0);
}

TEST(a_zone_of_its_own_does_not_need_the_readers)
{
	use_zone("America/New_York");
	assert_moment("2026-11-23T14:02:33Z", WINDOW_CLOCK, 1795392000 * S + 50553 * S);
	assert_moment("2026-11-23T14:02:33", WINDOW_CLOCK, 1795392000 * S + (50553 + 18000) * S);
}

TEST(what_is_no_time_is_refused_in_one_line)
{
	static const char *const wrong[] = {
		"",
		"-",
		"--5",
		"five",
		"5 s",
		"5x",
		"1:2:3",
		"24:00:00",
		"12:60:00",
		"12:00:60",
		"12:00:00.",
		"12:00:00.1234567890",
		"12:00:00Z",
		"12:00:00+01:00",
		"2026-02-29T00:00:00",
		"2026-13-01T00:00:00",
		"2026-00-01T00:00:00",
		"2026-01-00T00:00:00",
		"1969-12-31T23:59:59Z",
		"1970-01-01T00:00:00+01:00",
		"2501-01-01T00:00:00",
		"2026-11-23",
		"2026-11-23T",
		"2026-11-23T14:02:33+1:00",
		"2026-11-23T14:02:33+15:00",
		"2026-11-23T14:02:33Z0",
		"99999999999999999999",
		"1e9",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct window_moment moment;

		line[0] = '\0';
		if (!window_parse("from", wrong[i], &moment, line, sizeof(line)))
			fail_msg("'%s' is taken", wrong[i]);
		assert_non_null(strstr(line, "--from is "));
		assert_non_null(strstr(line, wrong[i]));
		assert_null(strchr(line, '\n'));
	}
}

TEST(bounds_lie_in_the_profile_or_are_none)
{
	assert_placed("3", "4", 100 * S, 110 * S, 103 * S, 104 * S);
	assert_placed("-5", "-200ms", 100 * S, 110 * S, 105 * S, 110 * S - S / 5);
	/* a bound at an end of the profile is none */
	assert_placed(NULL, "4", 100 * S, 110 * S, 0, 104 * S);
	assert_placed("0", "10", 100 * S, 110 * S, 0, UINT64_MAX);
	assert_placed("-30", NULL, 100 * S, 110 * S, 0, UINT64_MAX);
	assert_placed("-1000", "99999999", 100 * S, 110 * S, 0, UINT64_MAX);
}

TEST(a_window_without_time_is_refused)
{
	static const char *const none[][2] = {
		{ "4", "3" },
		{ "4", "4" },
		{ "-1", "-2" },
		{ "20", NULL },
		{ NULL, "0" },
		{ NULL, "-10" },
		{ NULL, "-20" },
		{ "11", "12" },
		{ NULL, "1970-01-01T00:00:09Z" },
		{ "2026-11-23T14:02:33Z", NULL },
	};

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		if (!place(none[i][0], none[i][1], 100 * S, 110 * S))
			fail_msg("%s to %s is taken", none[i][0], none[i][1]);
		assert_null(strchr(line, '\n'));
	}
}

TEST(a_time_of_day_is_one_in_the_profile)
{
	/* from 20:00 to 06:00 */
	assert_placed("23:00", "01:30", EVENING, EVENING + 36000 * S, EVENING + 3 * 3600 * S,
		      EVENING + 5 * 3600 * S + 1800 * S);
	/* of three days the last */
	assert_placed("21:00", "21:05", EVENING, EVENING + 3 * 86400 * S,
		      EVENING + 2 * 86400 * S + 3600 * S, EVENING + 2 * 86400 * S + 3900 * S);
	assert_placed(NULL, "19:59", EVENING, EVENING + 3 * 86400 * S, 0,
		      EVENING + 3 * 86400 * S - 60 * S);
	/* none: the nearest, which lies before the start */
	assert_placed("19:59", NULL, EVENING, EVENING + 60 * S, 0, UINT64_MAX);
	assert_int_not_equal(place("20:02", NULL, EVENING, EVENING + 60 * S), 0);
}

TEST(a_time_of_day_is_that_of_the_reader)
{
	use_zone("Europe/Berlin"); /* 21:00 to 06:00 UTC: 22:00 to 08:00 in two zones */
	assert_placed("23:30", NULL, EVENING, EVENING + 36000 * S, EVENING + 9000 * S, UINT64_MAX);
	assert_placed("04:00", NULL, EVENING, EVENING + 36000 * S, EVENING + 6 * 3600 * S,
		      UINT64_MAX);
}

/* The clock goes from 02:00 to 03:00. */
TEST(a_time_that_the_clock_leaves_out_is_refused)
{
	struct window_moment moment;

	use_zone("Europe/Berlin");
	assert_int_not_equal(window_parse("to", "2026-03-29T02:30:00", &moment, line, sizeof(line)),
			     0);
	assert_non_null(strstr(line, "no clock showed"));
	assert_moment("2026-03-29T03:30:00", WINDOW_CLOCK, EVENING + 5 * 3600 * S + 1800 * S);
}

/* The clock shows 02:30 twice: at 00:30 and at 01:30 UTC. */
TEST(a_time_that_the_clock_shows_twice_is_the_first)
{
	use_zone("Europe/Berlin");
	assert_moment("2026-10-25T02:30:00", WINDOW_CLOCK, 1792888200 * S);
	assert_moment("2026-10-25T02:30:00+01:00", WINDOW_CLOCK, 1792891800 * S);
}

TEST(any_bounds_of_a_profile_are_placed)
{
	static const uint64_t times[] = { 0, 1, EVENING, UINT64_MAX - 1, UINT64_MAX };
	static const char *const texts[] = {
		NULL, "0", "1", "9223372036", "-1", "23:59", "2026-11-23T14:02:33Z"
	};
	size_t count = sizeof(texts) / sizeof(*texts);

	for (size_t i = 0; i < 25; i++)
		for (size_t j = 0; j < count * count; j++) {
			span = (struct window_span){ 1, 0 };
			if (times[i / 5] <= times[i % 5] &&
			    !place(texts[j / count], texts[j % count], times[i / 5], times[i % 5]))
				assert_true(span.from_ns < span.to_ns);
		}
}
