/* Every setting takes its values, and refuses any other with one exact line. */
#include "config/settings/settings.h"
#include "tests/support/unit.h"

static struct settings settings;

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

static void refuses(const char *variable, const char *value, const char *reason)
{
	char line[SETTINGS_LINE_MAX];
	char expected[SETTINGS_LINE_MAX];

	assert_int_equal(set(variable, value, line), -22);
	snprintf(expected, sizeof(expected), "%s=%s: %s; accepted: %s", variable, value, reason,
		 settings_find(variable)->values);
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

TEST(the_mode_is_on_off_or_help)
{
	takes("FLAMETRAP", "off");
	assert_int_equal(settings.mode, SETTINGS_OFF);
	takes("FLAMETRAP", "0");
	assert_int_equal(settings.mode, SETTINGS_OFF);
	takes("FLAMETRAP", "true");
	assert_int_equal(settings.mode, SETTINGS_ON);
	takes("FLAMETRAP", "help");
	assert_int_equal(settings.mode, SETTINGS_HELP);
	refuses("FLAMETRAP", "of", "'of' at 1 is unknown, nearest: on, off");
	refuses("FLAMETRAP", "on ", "' ' at 3 is not part of the word");
	refuses("FLAMETRAP", "2", "'2' at 1 is unknown");
	refuses("FLAMETRAP", "enabled!", "'enabled' at 1 is unknown");
}

TEST(events_are_read_by_their_parser)
{
	takes("FLAMETRAP_EVENTS", "task-clock,page-faults");
	assert_int_equal(settings.events.count, 2);
	assert_false(settings.events.defaulted);
	refuses("FLAMETRAP_EVENTS", "cylces",
		"'cylces' at 1 is not a known event, nearest: cycles");
	refuses("FLAMETRAP_EVENTS", "cycles,", "it ends at 7 without an event name");
	refuses("FLAMETRAP_EVENTS", "cycles:q",
		"'q' at 8 is not a modifier (u k h H p P S D e W I)");
	refuses("FLAMETRAP_EVENTS", "task-clock cycles", "' ' at 11 is not ',' or ':' or '/'");
}

TEST(a_frequency_is_a_number_or_max)
{
	takes("FLAMETRAP_FREQUENCY", "1");
	assert_int_equal(settings.frequency_hz, 1);
	takes("FLAMETRAP_FREQUENCY", "10k");
	assert_int_equal(settings.frequency_hz, 10000);
	takes("FLAMETRAP_FREQUENCY", "max");
	assert_true(settings.frequency_hz == SETTINGS_FREQUENCY_MAX);
	refuses("FLAMETRAP_FREQUENCY", "abc", "'a' at 1 is not a digit");
	refuses("FLAMETRAP_FREQUENCY", "-5", "'-' at 1 is not a digit");
	refuses("FLAMETRAP_FREQUENCY", "99.5", "'.' at 3 is not a digit");
	refuses("FLAMETRAP_FREQUENCY", "0", "'0' at 1 is too small");
	refuses("FLAMETRAP_FREQUENCY", "2M", "'2M' at 1 is too large");
	refuses("FLAMETRAP_FREQUENCY", "99999999999999999999",
		"'99999999999999999999' at 1 is too large");
	refuses("FLAMETRAP_FREQUENCY", "0x", "it ends at 2 without a digit");
}

TEST(a_period_is_a_number_and_rules_out_the_default_frequency)
{
	takes("FLAMETRAP_PERIOD", "1000000");
	assert_int_equal(settings.period, 1000000);
	assert_int_equal(settings.frequency_hz, 0);
	takes("FLAMETRAP_PERIOD", "0x10");
	assert_int_equal(settings.period, 16);
	refuses("FLAMETRAP_PERIOD", "0", "'0' at 1 is too small");
	refuses("FLAMETRAP_PERIOD", "1e6", "'e' at 2 is not a digit");
	refuses("FLAMETRAP_PERIOD", "ten", "'t' at 1 is not a digit");
	refuses("FLAMETRAP_PERIOD", "9223372036854775808",
		"'9223372036854775808' at 1 is too large");
	refuses("FLAMETRAP_PERIOD", "9223372036854775G", "'9223372036854775' at 1 is too large");
}

TEST(an_output_is_a_pattern)
{
	takes("FLAMETRAP_OUTPUT", "out/%e-%p-%h-%t-%n-%{HOME}-%%");
	assert_string_equal(settings.output, "out/%e-%p-%h-%t-%n-%{HOME}-%%");
	refuses("FLAMETRAP_OUTPUT", "a%q", "'%q' at 2 is not a placeholder; write %% for %");
	refuses("FLAMETRAP_OUTPUT", "a%", "'%' at 2 is not a placeholder; write %% for %");
	refuses("FLAMETRAP_OUTPUT", "%{HOME", "'%{' at 1 is never closed");
	refuses("FLAMETRAP_OUTPUT", "%{}", "'%{}' at 1 names no variable");
	refuses("FLAMETRAP_OUTPUT", "out/", "the last '/' at 4 leaves the file without a name");
}

TEST(formats_are_a_list)
{
	takes("FLAMETRAP_FORMAT", "folded,svg,pprof,speedscope,gperftools");
	assert_int_equal(settings.formats, 31);
	takes("FLAMETRAP_FORMAT", "svg");
	assert_int_equal(settings.formats, SETTINGS_FORMAT_SVG);
	refuses("FLAMETRAP_FORMAT", "folded,svgg", "'svgg' at 8 is unknown, nearest: svg");
	refuses("FLAMETRAP_FORMAT", "folded,", "it ends at 7 without a word");
	refuses("FLAMETRAP_FORMAT", "folded;svg", "';' at 7 is not ','");
	refuses("FLAMETRAP_FORMAT", ",svg", "',' at 1 is not a word");
}

TEST(words_are_taken_whole)
{
	takes("FLAMETRAP_WEIGHT", "events");
	assert_int_equal(settings.weight, SETTINGS_WEIGHT_EVENTS);
	refuses("FLAMETRAP_WEIGHT", "event", "'event' at 1 is unknown, nearest: events");
	refuses("FLAMETRAP_WEIGHT", "samples,events", "',' at 8 is not part of the word");
	refuses("FLAMETRAP_WEIGHT", "7", "'7' at 1 is unknown");

	takes("FLAMETRAP_THREADS", "name");
	assert_int_equal(settings.threads, SETTINGS_THREADS_NAME);
	takes("FLAMETRAP_THREADS", "id");
	assert_int_equal(settings.threads, SETTINGS_THREADS_ID);
	refuses("FLAMETRAP_THREADS", "merged", "'merged' at 1 is unknown, nearest: merge");
	refuses("FLAMETRAP_THREADS", "ids", "'ids' at 1 is unknown, nearest: id");
	refuses("FLAMETRAP_THREADS", "name id", "' ' at 5 is not part of the word");

	takes("FLAMETRAP_NOTIFY", "timer");
	assert_int_equal(settings.notify, SETTINGS_NOTIFY_TIMER);
	refuses("FLAMETRAP_NOTIFY", "sigtarp", "'sigtarp' at 1 is unknown, nearest: sigtrap");
	refuses("FLAMETRAP_NOTIFY", "SIGIO", "'SIGIO' at 1 is unknown");
	refuses("FLAMETRAP_NOTIFY", "=", "'=' at 1 is not a word");

	takes("FLAMETRAP_LOG", "quiet");
	assert_int_equal(settings.log, SETTINGS_LOG_QUIET);
	refuses("FLAMETRAP_LOG", "debug", "'debug' at 1 is unknown");
	refuses("FLAMETRAP_LOG", "errors", "'errors' at 1 is unknown, nearest: error");
	refuses("FLAMETRAP_LOG", "info,error", "',' at 5 is not part of the word");
}

TEST(the_kernel_is_auto_or_a_boolean)
{
	takes("FLAMETRAP_KERNEL", "auto");
	assert_int_equal(settings.kernel, SETTINGS_KERNEL_AUTO);
	takes("FLAMETRAP_KERNEL", "1");
	assert_int_equal(settings.kernel, SETTINGS_KERNEL_YES);
	takes("FLAMETRAP_KERNEL", "false");
	assert_int_equal(settings.kernel, SETTINGS_KERNEL_NO);
	refuses("FLAMETRAP_KERNEL", "never", "'never' at 1 is unknown");
	refuses("FLAMETRAP_KERNEL", "yes!", "'!' at 4 is not part of the word");
	refuses("FLAMETRAP_KERNEL", "10", "'10' at 1 is unknown, nearest: 1, 0");
}

TEST(a_signal_has_a_name_or_a_number)
{
	takes("FLAMETRAP_SIGNAL", "USR2");
	assert_int_equal(settings.signal, SIGUSR2);
	takes("FLAMETRAP_SIGNAL", "SIGPROF");
	assert_int_equal(settings.signal, SIGPROF);
	takes("FLAMETRAP_SIGNAL", "RTMIN+3");
	assert_int_equal(settings.signal, SIGRTMIN + 3);
	takes("FLAMETRAP_SIGNAL", "SIGRTMAX-1");
	assert_int_equal(settings.signal, SIGRTMAX - 1);
	takes("FLAMETRAP_SIGNAL", "12");
	assert_int_equal(settings.signal, 12);
	refuses("FLAMETRAP_SIGNAL", "USR3", "'USR3' at 1 is unknown, nearest: USR1, USR2");
	refuses("FLAMETRAP_SIGNAL", "SIGKILL", "'SIGKILL' at 1 cannot be caught");
	refuses("FLAMETRAP_SIGNAL", "SEGV",
		"'SEGV' at 1 is raised by faults of the program itself");
	refuses("FLAMETRAP_SIGNAL", "0", "'0' at 1 is not a signal of this system");
	refuses("FLAMETRAP_SIGNAL", "65", "'65' at 1 is not a signal of this system");
	refuses("FLAMETRAP_SIGNAL", "33", "'33' at 1 belongs to the C library");
	refuses("FLAMETRAP_SIGNAL", "RTMIN+99", "'RTMIN+99' at 1 is not a signal of this system");
	refuses("FLAMETRAP_SIGNAL", "RTMIN-1", "'-' at 6 is not part of a signal's name");
}

TEST(a_depth_is_a_number_of_frames)
{
	takes("FLAMETRAP_DEPTH", "1");
	takes("FLAMETRAP_DEPTH", "4096");
	assert_int_equal(settings.depth, SETTINGS_DEPTH_MAX);
	refuses("FLAMETRAP_DEPTH", "0", "'0' at 1 is too small");
	refuses("FLAMETRAP_DEPTH", "4097", "'4097' at 1 is too large");
	refuses("FLAMETRAP_DEPTH", "12 ", "' ' at 3 is not a digit");
	refuses("FLAMETRAP_DEPTH", "all", "'a' at 1 is not a digit");
}

TEST(memory_is_a_size)
{
	takes("FLAMETRAP_MEMORY", "1M");
	assert_int_equal(settings.memory_bytes, 1 << 20);
	takes("FLAMETRAP_MEMORY", "2097152");
	assert_int_equal(settings.memory_bytes, 2 << 20);
	takes("FLAMETRAP_MEMORY", "3MiB");
	assert_int_equal(settings.memory_bytes, 3 << 20);
	takes("FLAMETRAP_MEMORY", "64G");
	assert_true(settings.memory_bytes == UINT64_C(64) << 30);
	refuses("FLAMETRAP_MEMORY", "65G", "'65G' at 1 is too large");
	refuses("FLAMETRAP_MEMORY", "1023K", "'1023K' at 1 is too small");
	refuses("FLAMETRAP_MEMORY", "64Q", "'Q' at 3 is not a unit (K, M, G)");
	refuses("FLAMETRAP_MEMORY", "64Mi", "'i' at 4 is not a unit (K, M, G)");
	refuses("FLAMETRAP_MEMORY", "lots", "'l' at 1 is not a digit");
	refuses("FLAMETRAP_MEMORY", "99999999999G", "'99999999999' at 1 is too large");
}

TEST(the_timeline_is_a_boolean_or_a_size)
{
	takes("FLAMETRAP_TIMELINE", "no");
	assert_false(settings.timeline);
	takes("FLAMETRAP_TIMELINE", "2M");
	assert_true(settings.timeline);
	assert_int_equal(settings.timeline_bytes, 2 << 20);
	takes("FLAMETRAP_TIMELINE", "yes");
	assert_true(settings.timeline);
	assert_int_equal(settings.timeline_bytes, 0);
	takes("FLAMETRAP_TIMELINE", "64K");
	takes("FLAMETRAP_TIMELINE", "16G");
	refuses("FLAMETRAP_TIMELINE", "63K", "'63K' at 1 is too small");
	refuses("FLAMETRAP_TIMELINE", "17G", "'17G' at 1 is too large");
	refuses("FLAMETRAP_TIMELINE", "maybe", "'m' at 1 is not a digit");
}

TEST(a_spool_is_a_directory_of_bounded_length)
{
	char longest[SETTINGS_TEXT_MAX];
	char longer[SETTINGS_TEXT_MAX + 1];
	char line[SETTINGS_LINE_MAX];

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	takes("FLAMETRAP_SPOOL", "/var/tmp");
	assert_string_equal(settings.spool, "/var/tmp");
	takes("FLAMETRAP_SPOOL", longest);
	assert_string_equal(settings.spool, longest);
	assert_int_equal(set("FLAMETRAP_SPOOL", longer, line), -22);
	assert_string_equal(line,
			    "FLAMETRAP_SPOOL=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			    "aaaaaaaaaa...: it is longer than 4095 bytes; accepted: a "
			    "directory");
	assert_int_equal(set("FLAMETRAP_OUTPUT", longer, line), -22);
	assert_int_equal(set("FLAMETRAP_FOLLOW", longer, line), -22);
}

TEST(follow_is_a_boolean_or_a_pattern_of_names)
{
	takes("FLAMETRAP_FOLLOW", "no");
	assert_false(settings.follow);
	takes("FLAMETRAP_FOLLOW", "on");
	assert_true(settings.follow);
	takes("FLAMETRAP_FOLLOW", "cc[1-9]*");
	assert_true(settings.follow);
	assert_string_equal(settings.follow_glob, "cc[1-9]*");
	refuses("FLAMETRAP_FOLLOW", "a[b", "'[' at 2 is never closed");
	refuses("FLAMETRAP_FOLLOW", "/bin/sh",
		"'/' at 1: a name of an executable has no directory");
	refuses("FLAMETRAP_FOLLOW", "a\\", "'\\' at 2 quotes nothing");
}

TEST(the_start_is_now_or_paused_or_later)
{
	takes("FLAMETRAP_START", "paused");
	assert_true(settings.start_paused);
	takes("FLAMETRAP_START", "1.5s");
	assert_int_equal(settings.start_delay_ns, 1500000000);
	takes("FLAMETRAP_START", "5");
	assert_int_equal(settings.start_delay_ns, 5000000000);
	takes("FLAMETRAP_START", "0.000000001s");
	assert_int_equal(settings.start_delay_ns, 1);
	takes("FLAMETRAP_START", "2.5h");
	assert_int_equal(settings.start_delay_ns, 9000000000000);
	refuses("FLAMETRAP_START", "later", "'later' at 1 is unknown");
	refuses("FLAMETRAP_START", "5 s", "' ' at 2 is not a unit (ns, us, ms, s, m, h)");
	refuses("FLAMETRAP_START", "1.s", "'s' at 3 is not a digit");
	takes("FLAMETRAP_START", "0.30000000000000004");
	assert_int_equal(settings.start_delay_ns, 300000000);
	takes("FLAMETRAP_START", "0.7999999999999999s");
	assert_int_equal(settings.start_delay_ns, 800000000);
	takes("FLAMETRAP_START", "1.99999999951s");
	assert_int_equal(settings.start_delay_ns, 2000000000);
	takes("FLAMETRAP_START", "1.00000000049999999999999999999999s");
	assert_int_equal(settings.start_delay_ns, 1000000000);
	takes("FLAMETRAP_START", "1.0000000005s");
	assert_int_equal(settings.start_delay_ns, 1000000001);
	refuses("FLAMETRAP_START", "99999999999h", "'99999999999' at 1 is too large");
}

TEST(the_stop_is_a_duration)
{
	takes("FLAMETRAP_STOP", "250ms");
	assert_int_equal(settings.stop_after_ns, 250000000);
	takes("FLAMETRAP_STOP", "3m");
	assert_int_equal(settings.stop_after_ns, 180000000000);
	refuses("FLAMETRAP_STOP", "never", "'n' at 1 is not a digit");
	refuses("FLAMETRAP_STOP", "0s", "'0s' at 1 is too small");
	refuses("FLAMETRAP_STOP", "5sec", "'e' at 3 is not part of a duration");
}

TEST(strict_wait_and_collect_are_booleans)
{
	static const char *const variables[] = { "FLAMETRAP_STRICT", "FLAMETRAP_WAIT",
						 "FLAMETRAP_COLLECT" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		takes(variables[i], "yes");
		takes(variables[i], "off");
		refuses(variables[i], "maybe", "'maybe' at 1 is unknown");
		refuses(variables[i], "YES", "'YES' at 1 is unknown");
		refuses(variables[i], "yes no", "' ' at 4 is not part of the word");
	}
	takes("FLAMETRAP_STRICT", "true");
	assert_true(settings.strict);
	takes("FLAMETRAP_WAIT", "on");
	assert_true(settings.wait);
	takes("FLAMETRAP_COLLECT", "1");
	assert_true(settings.collected);
}
