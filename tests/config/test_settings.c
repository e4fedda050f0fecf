/* Every setting takes its values, and refuses any other with one exact line. */
#include "config/settings/settings.h"
#include "tests/support/unit.h"

static struct settings settings;

/* Settings are named by their variables or options. */
static int set(const char *variable, const char *value, char *line)
{
	const struct setting *setting = settings_find(variable);

	assert_non_null(setting);
	line[0] = '\0';
	settings_defaults(&settings);
	return settings_set(&settings, setting, value, line, SETTINGS_LINE_MAX);
}

static void takes(const char *variable, const char *value)
{
	char line[SETTINGS_LINE_MAX];

	if (set(variable, value, line))
		fail_msg("%s", line);
	assert_int_equal(settings.given, UINT32_C(1) << (settings_find(variable) - settings_table));
}

/* A member has this value then. */
#define SETS(variable, value, member, expected)              \
	do {                                                 \
		takes(variable, value);                      \
		assert_int_equal(settings.member, expected); \
	} while (0)

static void refuses(const char *variable, const char *value, const char *reason)
{
	char line[SETTINGS_LINE_MAX];
	char expected[SETTINGS_LINE_MAX];

	assert_int_equal(set(variable, value, line), -22);
	snprintf(expected, sizeof(expected), "%s=%s: %s; accepted: %s",
		 settings_find(variable)->variable, value, reason, settings_find(variable)->values);
	assert_string_equal(line, expected);
	assert_int_equal(settings.given, 0);
}

TEST(every_default_is_accepted_by_its_own_parser)
{
	for (size_t row = 0; row < settings_count; row++) {
		if (settings_table[row].fallback[0])
			takes(settings_table[row].variable, settings_table[row].fallback);
	}
}

TEST(every_setting_refuses_an_empty_value)
{
	for (size_t row = 0; row < settings_count; row++)
		refuses(settings_table[row].variable, "", "it is empty");
}

TEST(words_are_taken_whole_and_unknown_ones_are_answered_with_the_nearest)
{
	/* the mode is on off or help */
	SETS("FLAMETRAP", "off", mode, SETTINGS_OFF);
	SETS("FLAMETRAP", "0", mode, SETTINGS_OFF);
	SETS("FLAMETRAP", "true", mode, SETTINGS_ON);
	SETS("FLAMETRAP", "help", mode, SETTINGS_HELP);
	refuses("FLAMETRAP", "of", "'of' at 1 is unknown, nearest: on, off");
	refuses("FLAMETRAP", "on ", "' ' at 3 is not part of the word");
	refuses("FLAMETRAP", "2", "'2' at 1 is unknown");
	refuses("FLAMETRAP", "enabled!", "'enabled' at 1 is unknown");
	SETS("weight", "events", weight, SETTINGS_WEIGHT_EVENTS);
	refuses("weight", "event", "'event' at 1 is unknown, nearest: events");
	refuses("weight", "samples,events", "',' at 8 is not part of the word");
	refuses("weight", "7", "'7' at 1 is unknown");

	SETS("threads", "name", threads, SETTINGS_THREADS_NAME);
	SETS("threads", "id", threads, SETTINGS_THREADS_ID);
	refuses("threads", "merged", "'merged' at 1 is unknown, nearest: merge");
	refuses("threads", "ids", "'ids' at 1 is unknown, nearest: id");
	refuses("threads", "name id", "' ' at 5 is not part of the word");

	SETS("notify", "timer", notify, SETTINGS_NOTIFY_TIMER);
	refuses("notify", "sigtarp", "'sigtarp' at 1 is unknown, nearest: sigtrap");
	refuses("notify", "SIGIO", "'SIGIO' at 1 is unknown");
	refuses("notify", "=", "'=' at 1 is not a word");

	SETS("log", "quiet", log, SETTINGS_LOG_QUIET);
	refuses("log", "debug", "'debug' at 1 is unknown");
	refuses("log", "errors", "'errors' at 1 is unknown, nearest: error");
	refuses("log", "info,error", "',' at 5 is not part of the word");
	/* the kernel is auto or a boolean */
	SETS("kernel", "auto", kernel, SETTINGS_KERNEL_AUTO);
	SETS("kernel", "1", kernel, SETTINGS_KERNEL_YES);
	SETS("kernel", "false", kernel, SETTINGS_KERNEL_NO);
	refuses("kernel", "never", "'never' at 1 is unknown");
	refuses("kernel", "yes!", "'!' at 4 is not part of the word");
	refuses("kernel", "10", "'10' at 1 is unknown, nearest: 1, 0");
}

TEST(events_are_read_by_their_parser)
{
	takes("events", "task-clock,page-faults");
	assert_int_equal(settings.events.count, 2);
	assert_false(settings.events.defaulted);
	refuses("events", "cylces", "'cylces' at 1 is not a known event, nearest: cycles");
	refuses("events", "cycles,", "it ends at 7 without an event name");
	refuses("events", "cycles:q", "'q' at 8 is not a modifier (u k h H p P S D e W I)");
	refuses("events", "task-clock cycles", "' ' at 11 is not ',' or ':' or '/'");
}

TEST(numbers_have_digits_units_and_bounds)
{
	/* a frequency is a number or max */
	SETS("frequency", "1", frequency_hz, 1);
	SETS("frequency", "10k", frequency_hz, 10000);
	SETS("frequency", "max", frequency_hz, SETTINGS_FREQUENCY_MAX);
	refuses("frequency", "abc", "'a' at 1 is not a digit");
	refuses("frequency", "-5", "'-' at 1 is not a digit");
	refuses("frequency", "99.5", "'.' at 3 is not a digit");
	refuses("frequency", "0", "'0' at 1 is too small");
	refuses("frequency", "2M", "'2M' at 1 is too large");
	refuses("frequency", "99999999999999999999", "'99999999999999999999' at 1 is too large");
	refuses("frequency", "0x", "it ends at 2 without a digit");
	/* a period is a number and rules out the default frequency */
	SETS("period", "1000000", period, 1000000);
	assert_int_equal(settings.frequency_hz, 0);
	SETS("period", "0x10", period, 16);
	refuses("period", "0", "'0' at 1 is too small");
	refuses("period", "1e6", "'e' at 2 is not a digit");
	refuses("period", "ten", "'t' at 1 is not a digit");
	refuses("period", "9223372036854775808", "'9223372036854775808' at 1 is too large");
	refuses("period", "9223372036854775G", "'9223372036854775' at 1 is too large");
	/* a depth is a number of frames */
	takes("depth", "1");
	SETS("depth", "4096", depth, SETTINGS_DEPTH_MAX);
	refuses("depth", "0", "'0' at 1 is too small");
	refuses("depth", "4097", "'4097' at 1 is too large");
	refuses("depth", "12 ", "' ' at 3 is not a digit");
	refuses("depth", "all", "'a' at 1 is not a digit");
	/* memory is a size */
	SETS("memory", "1M", memory_bytes, 1 << 20);
	SETS("memory", "2097152", memory_bytes, 2 << 20);
	SETS("memory", "3MiB", memory_bytes, 3 << 20);
	SETS("memory", "64G", memory_bytes, UINT64_C(64) << 30);
	refuses("memory", "65G", "'65G' at 1 is too large");
	refuses("memory", "1023K", "'1023K' at 1 is too small");
	refuses("memory", "64Q", "'Q' at 3 is not a unit (K, M, G)");
	refuses("memory", "64Mi", "'i' at 4 is not a unit (K, M, G)");
	refuses("memory", "lots", "'l' at 1 is not a digit");
	refuses("memory", "99999999999G", "'99999999999' at 1 is too large");
	/* the timeline is a boolean or a size */
	SETS("timeline", "no", timeline, false);
	SETS("timeline", "2M", timeline, true);
	assert_int_equal(settings.timeline_bytes, 2 << 20);
	SETS("timeline", "yes", timeline, true);
	assert_int_equal(settings.timeline_bytes, 0);
	takes("timeline", "64K");
	takes("timeline", "16G");
	refuses("timeline", "63K", "'63K' at 1 is too small");
	refuses("timeline", "17G", "'17G' at 1 is too large");
	refuses("timeline", "maybe", "'m' at 1 is not a digit");
}

TEST(an_output_is_a_pattern)
{
	takes("output", "out/%e-%p-%h-%t-%n-%{HOME}-%%");
	assert_string_equal(settings.output, "out/%e-%p-%h-%t-%n-%{HOME}-%%");
	refuses("output", "a%q", "'%q' at 2 is not a placeholder; write %% for %");
	refuses("output", "a%", "'%' at 2 is not a placeholder; write %% for %");
	refuses("output", "%{HOME", "'%{' at 1 is never closed");
	refuses("output", "%{}", "'%{}' at 1 names no variable");
	refuses("output", "out/", "the last '/' at 4 leaves the file without a name");
}

TEST(formats_are_a_list)
{
	SETS("format", "folded,svg,pprof,speedscope,gperftools", formats, 31);
	SETS("format", "svg", formats, SETTINGS_FORMAT_SVG);
	refuses("format", "folded,svgg", "'svgg' at 8 is unknown, nearest: svg");
	refuses("format", "folded,", "it ends at 7 without a word");
	refuses("format", "folded;svg", "';' at 7 is not ','");
	refuses("format", ",svg", "',' at 1 is not a word");
}

TEST(a_signal_has_a_name_or_a_number)
{
	SETS("signal", "USR2", signal, SIGUSR2);
	SETS("signal", "SIGPROF", signal, SIGPROF);
	SETS("signal", "RTMIN+3", signal, SIGRTMIN + 3);
	SETS("signal", "SIGRTMAX-1", signal, SIGRTMAX - 1);
	SETS("signal", "12", signal, 12);
	refuses("signal", "USR3", "'USR3' at 1 is unknown, nearest: USR1, USR2");
	refuses("signal", "SIGKILL", "'SIGKILL' at 1 cannot be caught");
	refuses("signal", "SEGV", "'SEGV' at 1 is raised by faults of the program itself");
	refuses("signal", "0", "'0' at 1 is not a signal of this system");
	refuses("signal", "65", "'65' at 1 is not a signal of this system");
	refuses("signal", "33", "'33' at 1 belongs to the C library");
	refuses("signal", "RTMIN+99", "'RTMIN+99' at 1 is not a signal of this system");
	refuses("signal", "RTMIN-1", "'-' at 6 is not part of a signal's name");
}

TEST(a_spool_is_a_directory_of_bounded_length)
{
	char longest[SETTINGS_TEXT_MAX] = "", longer[SETTINGS_TEXT_MAX + 1] = "";
	char line[SETTINGS_LINE_MAX];

	memset(longest, 'a', sizeof(longest) - 1);
	memset(longer, 'a', sizeof(longer) - 1);
	takes("spool", "/var/tmp");
	assert_string_equal(settings.spool, "/var/tmp");
	takes("spool", longest);
	assert_string_equal(settings.spool, longest);
	assert_int_equal(set("spool", longer, line), -22);
	assert_string_equal(line,
			    "FLAMETRAP_SPOOL=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			    "aaaaaaaaaa...: it is longer than 4095 bytes; accepted: a "
			    "directory");
	assert_int_equal(set("output", longer, line), -22);
	assert_int_equal(set("follow", longer, line), -22);
}

TEST(follow_is_a_boolean_or_a_pattern_of_names)
{
	SETS("follow", "no", follow, false);
	SETS("follow", "on", follow, true);
	SETS("follow", "cc[1-9]*", follow, true);
	assert_string_equal(settings.follow_glob, "cc[1-9]*");
	refuses("follow", "a[b", "'[' at 2 is never closed");
	refuses("follow", "/bin/sh", "'/' at 1: a name of an executable has no directory");
	refuses("follow", "a\\", "'\\' at 2 quotes nothing");
}

TEST(times_are_durations)
{
	/* the start is now or paused or later */
	SETS("start", "paused", start_paused, true);
	SETS("start", "1.5s", start_delay_ns, 1500000000);
	SETS("start", "5", start_delay_ns, 5000000000);
	SETS("start", "0.000000001s", start_delay_ns, 1);
	SETS("start", "2.5h", start_delay_ns, 9000000000000);
	refuses("start", "later", "'later' at 1 is unknown");
	refuses("start", "5 s", "' ' at 2 is not a unit (ns, us, ms, s, m, h)");
	refuses("start", "1.s", "'s' at 3 is not a digit");
	SETS("start", "0.30000000000000004", start_delay_ns, 300000000);
	SETS("start", "0.7999999999999999s", start_delay_ns, 800000000);
	SETS("start", "1.99999999951s", start_delay_ns, 2000000000);
	SETS("start", "1.00000000049999999999999999999999s", start_delay_ns, 1000000000);
	SETS("start", "1.0000000005s", start_delay_ns, 1000000001);
	refuses("start", "99999999999h", "'99999999999' at 1 is too large");
	/* the stop is a duration */
	SETS("stop", "250ms", stop_after_ns, 250000000);
	SETS("stop", "3m", stop_after_ns, 180000000000);
	refuses("stop", "never", "'n' at 1 is not a digit");
	refuses("stop", "0s", "'0s' at 1 is too small");
	refuses("stop", "5sec", "'e' at 3 is not part of a duration");
}

TEST(strict_wait_and_collect_are_booleans)
{
	static const char *const variables[] = { "strict", "wait", "FLAMETRAP_COLLECT" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		takes(variables[i], "yes");
		takes(variables[i], "off");
		refuses(variables[i], "maybe", "'maybe' at 1 is unknown");
		refuses(variables[i], "YES", "'YES' at 1 is unknown");
		refuses(variables[i], "yes no", "' ' at 4 is not part of the word");
	}
	SETS("strict", "true", strict, true);
	SETS("wait", "on", wait, true);
	SETS("FLAMETRAP_COLLECT", "1", collected, true);
}
