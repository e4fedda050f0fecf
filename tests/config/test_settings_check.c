/* Settings as a whole: defaults, contradictions, the environment, the printed table,
 * FLAMETRAP_OFF_CPU and FLAMETRAP_WALL as the events and the weight that they stand for, and
 * programs that hand their environment to a program of another loader. */
#include "config/events/known.h"
#include "config/settings/emulator.h"
#include "config/settings/env.h"
#include "config/settings/settings.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static struct settings settings;
static char line[SETTINGS_LINE_MAX];

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
	char cut[8];

	settings_defaults(&settings);
	assert_int_equal(settings_set(&settings, settings_find("depth"), "x", cut, sizeof(cut)),
			 -22);
	assert_string_equal(cut, "FLAMETR");
}

/* One of two settings cannot stand without the other, or not beside it. */
TEST(contradictions_are_found)
{
	static const struct {
		const char *first, *value, *second, *other;
		bool needed; /* the second by the first */
		const char *line;
	} rows[] = {
		{ "period", "5", "frequency", "5", false,
		  "FLAMETRAP_PERIOD and FLAMETRAP_FREQUENCY exclude each other; accepted: one of "
		  "the two" },
		{ "signal", "USR2", "notify", "sigtrap", false,
		  "FLAMETRAP_SIGNAL and FLAMETRAP_NOTIFY=sigtrap exclude each other; accepted: a "
		  "signal with sigio, timer or auto" },
		{ "events", "task-clock,cycles:k", "kernel", "no", false,
		  "FLAMETRAP_KERNEL=no leaves nothing to count of an event with :k in "
		  "FLAMETRAP_EVENTS; accepted: one of the two" },
		{ "events", "task-clock,page-faults/refresh=4/", "notify", "sigio", true,
		  "refresh= in FLAMETRAP_EVENTS needs FLAMETRAP_NOTIFY=sigio: a counter that stops "
		  "itself reports it in that signal; accepted: both, or neither" },
		{ "events", "page-faults/wakeup_events=4/", "notify", "sigio", true,
		  "wakeup_events= in FLAMETRAP_EVENTS needs FLAMETRAP_NOTIFY=sigio: SIGTRAP comes "
		  "with each overflow, before the thread goes on; accepted: both, or neither" },
	};

	settings_defaults(&settings);
	assert_int_equal(settings_check(&settings, line, sizeof(line)), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char refused[2][SETTINGS_LINE_MAX] = { "", "" };
		int alone, both;

		settings_defaults(&settings);
		settings_set(&settings, settings_find(rows[i].first), rows[i].value, line,
			     sizeof(line));
		alone = settings_check(&settings, refused[0], sizeof(line));
		settings_set(&settings, settings_find(rows[i].second), rows[i].other, line,
			     sizeof(line));
		both = settings_check(&settings, refused[1], sizeof(line));
		assert_int_equal(alone, rows[i].needed ? -22 : 0);
		assert_int_equal(both, rows[i].needed ? 0 : -22);
		assert_string_equal(refused[!rows[i].needed], rows[i].line);
	}
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

static void warn(const char *warning)
{
	strcat(warnings, warning);
	strcat(warnings, "\n");
}

static int read_environment(const char *const *environment)
{
	warnings[0] = '\0';
	line[0] = '\0';
	settings_defaults(&settings);
	return settings_env_read(&settings, (char *const *)(uintptr_t)environment, warn, line,
				 sizeof(line));
}

#define READ(...) read_environment((const char *const[]){ __VA_ARGS__, NULL })

TEST(the_environment_is_read_by_the_table)
{
	char *const environment[] = { (char *)"HOME=/root", (char *)"FLAMETRAP_NOVALUE", NULL };

	assert_int_equal(READ("HOME=/root", "FLAMETRAP_DEPTH=7", "FLAMETRAP_DEPTH=8",
			      "FLAMETRAP_FREQUENCY=50", "XFLAMETRAP_FREQUENCY=51",
			      "FLAMETRAP_NOVALUE"),
			 0);
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

	assert_int_equal(READ(codes, "FLAMETRAP_EVENTS=L1D.HIT"), 0);
	assert_int_equal(settings.events.event[0].config, 0x48);
	memset(codes, 'x', sizeof(codes) - 1);
	assert_int_not_equal(READ("FLAMETRAP_EVENTS=L1D.HIT"), 0);
	holds(line, "L1D.HIT");
}

TEST(unknown_variables_are_reported_once_with_the_nearest)
{
	static const char expected[] =
		"FLAMETRAP_FREQENCY is not a setting, nearest: FLAMETRAP_FREQUENCY\n"
		"FLAMETRAP_\\x0aX is not a setting, nearest: ";

	assert_int_equal(READ("FLAMETRAP_FREQENCY=1", "FLAMETRAP_FREQENCY=2", "FLAMETRAP_\nX=1"),
			 0);
	assert_memory_equal(warnings, expected, strlen(expected));
	assert_int_equal(READ("FLAMETRAP_FREQENCY=1", "FLAMETRAP_COLLECT=1"), 0);
	assert_string_equal(warnings, "");
}

TEST(a_bad_value_ends_the_reading_of_an_environment_unless_it_is_off)
{
	/* who is off hears of nothing else */
	assert_int_equal(READ("FLAMETRAP_DEPTH=bad", "FLAMETRAP_DEPHT=1", "FLAMETRAP=off"), 0);
	assert_int_equal(settings.mode, SETTINGS_OFF);
	assert_string_equal(warnings, "");
	/* the environment ends at the first bad value */
	assert_int_equal(READ("FLAMETRAP_DEPTH=bad"), -22);
	assert_string_equal(line,
			    "FLAMETRAP_DEPTH=bad: 'b' at 1 is not a digit; accepted: a number "
			    "of frames from 1 to 4096");
	assert_int_equal(READ("FLAMETRAP_PERIOD=1", "FLAMETRAP_FREQUENCY=1"), -22);
	holds(line, "exclude each other");
	/* strict is known even when another value is bad */
	assert_int_equal(READ("FLAMETRAP_EVENTS=bad", "FLAMETRAP_STRICT=yes"), -22);
	assert_true(settings.strict);
	holds(line, "FLAMETRAP_EVENTS=bad");
}

static size_t table_lines;

static void count_line(const char *row)
{
	assert_true(strlen(row) < 700);
	assert_null(strchr(row, '\n'));
	assert_null(strstr(row, "FLAMETRAP_COLLECT"));
	assert_null(strstr(row, "FLAMETRAP_ENCODED"));
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

TEST(emulators_are_known_by_their_names)
{
	assert_true(emulator_is("/usr/bin/qemu-aarch64"));
	assert_true(emulator_is("qemu-arm-static"));
	assert_true(emulator_is("/opt/box64/box64"));
	assert_true(emulator_is("/usr/bin/FEXInterpreter"));
	assert_false(emulator_is(""));
	assert_false(emulator_is("/qemu-aarch64/ls"));
	assert_false(emulator_is("/usr/bin/qemu"));
	assert_false(emulator_is("/usr/bin/qemu-system-aarch64"));
	assert_false(emulator_is("/usr/bin/box"));
}

static int read_modes(const char *events, const char *more, const char *last)
{
	char text[512] = "";

	if (events)
		snprintf(text, sizeof(text), "FLAMETRAP_EVENTS=%s", events);
	return READ(text, more, last);
}

/* "task-clock off-cpu", with each event's leader where it is another. */
static const char *counted(void)
{
	static char text[1024];

	text[0] = '\0';
	for (unsigned i = 0; i < settings.events.count; i++) {
		const struct event *event = &settings.events.event[i];
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "", event->name);
		used = strlen(text);
		if (event->leader != i)
			snprintf(text + used, sizeof(text) - used, "<%u", event->leader);
	}
	return text;
}

TEST(they_add_to_what_is_counted)
{
	static const struct {
		const char *events, *mode, *counted;
	} rows[] = {
		{ NULL, "FLAMETRAP_OFF_CPU=yes", "task-clock off-cpu" },
		{ NULL, "FLAMETRAP_WALL=yes", "task-clock off-cpu" },
		{ NULL, "FLAMETRAP_WALL=no", "cycles" },
		{ "page-faults", "FLAMETRAP_OFF_CPU=1", "page-faults off-cpu" },
		{ "page-faults", "FLAMETRAP_WALL=on", "task-clock page-faults off-cpu" },
		{ "cpu-clock", "FLAMETRAP_WALL=yes", "cpu-clock off-cpu" },
		{ "off-cpu:k", "FLAMETRAP_WALL=yes", "task-clock off-cpu:k" },
		{ "off-cpu/period=3/,task-clock", "FLAMETRAP_WALL=yes", "off-cpu task-clock" },
		{ "{page-faults,task-clock}", "FLAMETRAP_WALL=yes",
		  "task-clock page-faults task-clock<1 off-cpu" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(read_modes(rows[i].events, rows[i].mode, NULL), 0);
		assert_string_equal(counted(), rows[i].counted);
	}
}

TEST(weights_are_events_unless_one_is_given)
{
	assert_int_equal(read_modes(NULL, "FLAMETRAP_OFF_CPU=yes", NULL), 0);
	assert_int_equal(settings.weight, SETTINGS_WEIGHT_EVENTS);
	assert_int_equal(read_modes(NULL, "FLAMETRAP_OFF_CPU=yes", "FLAMETRAP_WEIGHT=samples"), 0);
	assert_int_equal(settings.weight, SETTINGS_WEIGHT_SAMPLES);
	assert_int_equal(read_modes(NULL, "FLAMETRAP_OFF_CPU=no", NULL), 0);
	assert_int_equal(settings.weight, SETTINGS_WEIGHT_AUTO);
}

TEST(what_cannot_be_is_refused)
{
	char many[480] = "";

	for (unsigned i = 0; i < EVENTS_MAX; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many),
			 "%spage-faults/name=n%u/", i ? "," : "", i);
	assert_int_not_equal(read_modes(NULL, "FLAMETRAP_OFF_CPU=no", "FLAMETRAP_WALL=yes"), 0);
	holds(line, "FLAMETRAP_WALL");
	holds(line, "FLAMETRAP_OFF_CPU=no");
	assert_int_equal(read_modes(many, "FLAMETRAP_OFF_CPU=no", NULL), 0);
	assert_int_not_equal(read_modes(many, "FLAMETRAP_OFF_CPU=yes", NULL), 0);
	holds(line, "FLAMETRAP_EVENTS");
	assert_int_not_equal(read_modes("nonsense", "FLAMETRAP_WALL=yes", NULL), 0);
	holds(line, "FLAMETRAP_EVENTS=nonsense");
}
