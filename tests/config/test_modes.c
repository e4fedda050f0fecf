/* FLAMETRAP_OFF_CPU and FLAMETRAP_WALL as the events and the weight that they stand for. */
#include "config/settings/settings.h"
#include "tests/support/unit.h"

static struct settings settings;
static char line[SETTINGS_LINE_MAX];

static int read_all(const char *events, const char *more, const char *last)
{
	char text[512];
	char *environment[] = { text, (char *)more, (char *)last, NULL };

	snprintf(text, sizeof(text), "%s%s", events ? "FLAMETRAP_EVENTS=" : "",
		 events ? events : "");
	settings_defaults(&settings);
	return settings_env_read(&settings, environment, NULL, line, sizeof(line));
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
		assert_int_equal(read_all(rows[i].events, rows[i].mode, NULL), 0);
		assert_string_equal(counted(), rows[i].counted);
	}
}

TEST(weights_are_events_unless_one_is_given)
{
	assert_int_equal(read_all(NULL, "FLAMETRAP_OFF_CPU=yes", NULL), 0);
	assert_int_equal(settings.weight, SETTINGS_WEIGHT_EVENTS);
	assert_int_equal(read_all(NULL, "FLAMETRAP_OFF_CPU=yes", "FLAMETRAP_WEIGHT=samples"), 0);
	assert_int_equal(settings.weight, SETTINGS_WEIGHT_SAMPLES);
	assert_int_equal(read_all(NULL, "FLAMETRAP_OFF_CPU=no", NULL), 0);
	assert_int_equal(settings.weight, SETTINGS_WEIGHT_AUTO);
}

TEST(what_cannot_be_is_refused)
{
	char many[480] = "";

	for (unsigned i = 0; i < EVENTS_MAX; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many),
			 "%spage-faults/name=n%u/", i ? "," : "", i);
	assert_int_not_equal(read_all(NULL, "FLAMETRAP_OFF_CPU=no", "FLAMETRAP_WALL=yes"), 0);
	assert_non_null(strstr(line, "FLAMETRAP_WALL"));
	assert_non_null(strstr(line, "FLAMETRAP_OFF_CPU=no"));
	assert_int_equal(read_all(many, "FLAMETRAP_OFF_CPU=no", NULL), 0);
	assert_int_not_equal(read_all(many, "FLAMETRAP_OFF_CPU=yes", NULL), 0);
	assert_non_null(strstr(line, "FLAMETRAP_EVENTS"));
	assert_int_not_equal(read_all("nonsense", "FLAMETRAP_WALL=yes", NULL), 0);
	assert_non_null(strstr(line, "FLAMETRAP_EVENTS=nonsense"));
}
