/* Settings as a whole: defaults, contradictions, the environment, the printed table. */
#include "config/events/known.h"
#include "config/settings/env.h"
#include "config/settings/settings.h"
#include "tests/support/unit.h"

static struct settings settings;

static int give(const char *variable, const char *value)
{
	char line[SETTINGS_LINE_MAX];

	return settings_set(&settings, settings_find(variable), value, line, sizeof(line));
}

TEST(defaults_are_those_of_the_table)
{
	settings_defaults(&settings);
	assert_int_equal(settings.mode, SETTINGS_ON);
	assert_true(settings.events.defaulted);
	assert_int_equal(settings.events.count, 1);
	assert_string_equal(settings.events.event[0].name, "cycles");
	assert_int_equal(settings.frequency_hz, 999);
	assert_int_equal(settings.period, 0);
	assert_string_equal(settings.output, "flametrap.%e.%p");
	assert_int_equal(settings.formats, SETTINGS_FORMAT_FOLDED);
	assert_int_equal(settings.depth, 512);
	assert_int_equal(settings.memory_bytes, 64 << 20);
	assert_string_equal(settings.spool, "");
	assert_true(settings.follow);
	assert_string_equal(settings.follow_glob, "");
	assert_false(settings.start_paused);
	assert_int_equal(settings.stop_after_ns, 0);
	assert_int_equal(settings.log, SETTINGS_LOG_ERROR);
	assert_false(settings.strict);
	assert_false(settings.collected);
	assert_int_equal(settings.given, 0);
}

TEST(a_hostile_value_stays_on_one_short_line)
{
	char value[20000];
	char line[SETTINGS_LINE_MAX];

	for (size_t row = 0; row < settings_count; row++) {
		memset(value, '\n', sizeof(value) - 1);
		value[0] = '\x1b';
		value[sizeof(value) - 1] = '\0';
		settings_defaults(&settings);
		if (settings_set(&settings, &settings_table[row], value, line, sizeof(line)) == 0)
			fail_msg("%s takes control bytes", settings_table[row].variable);
		assert_true(strlen(line) < sizeof(line) - 1);
		for (const char *byte = line; *byte; byte++)
			assert_in_range(*byte, ' ', '~');
	}
}

TEST(a_short_buffer_cuts_the_line)
{
	char line[8];

	settings_defaults(&settings);
	assert_int_equal(settings_set(&settings, settings_find("depth"), "x", line, sizeof(line)),
			 -22);
	assert_string_equal(line, "FLAMETR");
}

TEST(contradictions_are_found)
{
	char line[SETTINGS_LINE_MAX];

	settings_defaults(&settings);
	assert_int_equal(settings_check(&settings, line, sizeof(line)), 0);
	give("period", "5");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), 0);
	give("frequency", "5");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), -22);
	assert_string_equal(line, "FLAMETRAP_PERIOD and FLAMETRAP_FREQUENCY exclude each other; "
				  "accepted: one of the two");

	settings_defaults(&settings);
	give("signal", "USR2");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), 0);
	give("notify", "sigtrap");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), -22);
	assert_string_equal(line, "FLAMETRAP_SIGNAL and FLAMETRAP_NOTIFY=sigtrap exclude each "
				  "other; accepted: a signal with sigio, timer or auto");

	settings_defaults(&settings);
	give("events", "task-clock,cycles:k");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), 0);
	give("kernel", "no");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), -22);
	assert_string_equal(line, "FLAMETRAP_KERNEL=no leaves nothing to count of an event with "
				  ":k in FLAMETRAP_EVENTS; accepted: one of the two");

	settings_defaults(&settings);
	give("events", "task-clock,page-faults/refresh=4/");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), -22);
	assert_string_equal(line, "refresh= in FLAMETRAP_EVENTS needs FLAMETRAP_NOTIFY=sigio: a "
				  "counter that stops itself reports it in that signal; "
				  "accepted: both, or neither");
	give("notify", "sigio");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), 0);

	settings_defaults(&settings);
	give("events", "page-faults/wakeup_events=4/");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), -22);
	assert_string_equal(line, "wakeup_events= in FLAMETRAP_EVENTS needs "
				  "FLAMETRAP_NOTIFY=sigio: SIGTRAP comes with each overflow, "
				  "before the thread goes on; accepted: both, or neither");
	give("notify", "sigio");
	assert_int_equal(settings_check(&settings, line, sizeof(line)), 0);
}

TEST(rows_are_found_by_variable_and_by_option)
{
	assert_ptr_equal(settings_find("FLAMETRAP_EVENTS"), settings_find("events"));
	assert_null(settings_find("FLAMETRAP_EVENT"));
	assert_null(settings_find(""));
	assert_string_equal(settings_nearest("FLAMETRAP_FREQENCY"), "FLAMETRAP_FREQUENCY");
	assert_string_equal(settings_nearest("FLAMETRAP_OUTPUTS"), "FLAMETRAP_OUTPUT");
	assert_string_not_equal(settings_nearest("FLAMETRAP_COLLECTS"), "FLAMETRAP_COLLECT");
}

static char warnings[1024];

static void warn(const char *line)
{
	strcat(warnings, line);
	strcat(warnings, "\n");
}

static int read_environment(char *const *environment, char *line)
{
	warnings[0] = '\0';
	line[0] = '\0';
	settings_defaults(&settings);
	return settings_env_read(&settings, environment, warn, line, SETTINGS_LINE_MAX);
}

TEST(the_environment_is_read_by_the_table)
{
	char *const environment[] = {
		(char *)"HOME=/root",
		(char *)"FLAMETRAP_DEPTH=7",
		(char *)"FLAMETRAP_DEPTH=8",
		(char *)"FLAMETRAP_FREQUENCY=50",
		(char *)"XFLAMETRAP_FREQUENCY=51",
		(char *)"FLAMETRAP_NOVALUE",
		NULL,
	};
	char line[SETTINGS_LINE_MAX];

	assert_int_equal(read_environment(environment, line), 0);
	assert_int_equal(settings.depth, 7); /* the first counts, as for getenv */
	assert_int_equal(settings.frequency_hz, 50);
	assert_string_equal(warnings, "");
	assert_string_equal(env_get(environment, "HOME"), "/root");
	assert_null(env_get(environment, "HOM"));
	assert_null(env_get(NULL, "HOME"));
	assert_null(env_get(environment, "FLAMETRAP_NOVALUE"));
}

/* The next reading may come when the text of the one before is gone. */
TEST(codes_are_forgotten_with_their_environment)
{
	char codes[] = "FLAMETRAP_ENCODED=L1D.HIT=4:48:0:0";
	char *const with[] = { codes, (char *)"FLAMETRAP_EVENTS=L1D.HIT", NULL };
	char *const without[] = { (char *)"FLAMETRAP_EVENTS=L1D.HIT", NULL };
	char line[SETTINGS_LINE_MAX];

	assert_int_equal(read_environment(with, line), 0);
	assert_int_equal(settings.events.event[0].config, 0x48);
	assert_int_not_equal(read_environment(without, line), 0);
	assert_non_null(strstr(line, "L1D.HIT"));
}

TEST(unknown_variables_are_reported_once_with_the_nearest)
{
	char *const environment[] = {
		(char *)"FLAMETRAP_FREQENCY=1",
		(char *)"FLAMETRAP_FREQENCY=2",
		(char *)"FLAMETRAP_\nX=1",
		NULL,
	};
	char *const collected[] = {
		(char *)"FLAMETRAP_FREQENCY=1",
		(char *)"FLAMETRAP_COLLECT=1",
		NULL,
	};
	char line[SETTINGS_LINE_MAX];

	assert_int_equal(read_environment(environment, line), 0);
	assert_memory_equal(
		warnings,
		"FLAMETRAP_FREQENCY is not a setting, nearest: FLAMETRAP_FREQUENCY\n"
		"FLAMETRAP_\\x0aX is not a setting, nearest: ",
		strlen("FLAMETRAP_FREQENCY is not a setting, nearest: "
		       "FLAMETRAP_FREQUENCY\nFLAMETRAP_\\x0aX is not a setting, nearest: "));
	assert_int_equal(read_environment(collected, line), 0);
	assert_string_equal(warnings, "");
}

TEST(who_is_off_hears_of_nothing_else)
{
	char *const environment[] = {
		(char *)"FLAMETRAP_DEPTH=bad",
		(char *)"FLAMETRAP_DEPHT=1",
		(char *)"FLAMETRAP=off",
		NULL,
	};
	char line[SETTINGS_LINE_MAX];

	assert_int_equal(read_environment(environment, line), 0);
	assert_int_equal(settings.mode, SETTINGS_OFF);
	assert_string_equal(warnings, "");
}

TEST(the_environment_ends_at_the_first_bad_value)
{
	char *const bad[] = { (char *)"FLAMETRAP_DEPTH=bad", NULL };
	char *const contrary[] = {
		(char *)"FLAMETRAP_PERIOD=1",
		(char *)"FLAMETRAP_FREQUENCY=1",
		NULL,
	};
	char line[SETTINGS_LINE_MAX];

	assert_int_equal(read_environment(bad, line), -22);
	assert_string_equal(line,
			    "FLAMETRAP_DEPTH=bad: 'b' at 1 is not a digit; accepted: a number "
			    "of frames from 1 to 4096");
	assert_int_equal(read_environment(contrary, line), -22);
	assert_non_null(strstr(line, "exclude each other"));
}

TEST(strict_is_known_even_when_another_value_is_bad)
{
	char *const bad[] = {
		(char *)"FLAMETRAP_EVENTS=bad",
		(char *)"FLAMETRAP_STRICT=yes",
		NULL,
	};
	char line[SETTINGS_LINE_MAX];

	assert_int_equal(read_environment(bad, line), -22);
	assert_true(settings.strict);
	assert_non_null(strstr(line, "FLAMETRAP_EVENTS=bad"));
}

static size_t table_lines;

static void count_line(const char *line)
{
	assert_true(strlen(line) < 700);
	assert_null(strchr(line, '\n'));
	assert_null(strstr(line, "FLAMETRAP_COLLECT"));
	assert_null(strstr(line, "FLAMETRAP_ENCODED"));
	table_lines++;
}

TEST(the_printed_tables_are_whole_and_hide_what_is_internal)
{
	size_t events = 0, shown = 0;

	for (size_t i = 0; i < settings_count; i++)
		shown += settings_table[i].internal ? 0 : 1;
	for (size_t i = 0; i < known_count; i++)
		events += known_table[i].refused ? 0 : 1;
	table_lines = 0;
	table_markdown(count_line);
	assert_int_equal(table_lines, shown + 2);
	table_settings(count_line);
	table_lines = 0;
	table_events(count_line);
	assert_int_equal(table_lines, events);
}
