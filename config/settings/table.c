/*
 * The text of the tables, made line by line in a small buffer, because it also runs in the target.
 */
#include "config/settings/table.h"

#include <string.h>

#include "config/text/line.h"
#include "config/events/known.h"
#include "config/settings/settings.h"

#define LINE_MAX_BYTES	   240
#define MARKDOWN_MAX_BYTES 700
#define EVENT_COLUMN	   26

static void add_option(struct line *line, const struct setting *setting, const char *before)
{
	if (!setting->option)
		return;
	line_add(line, before);
	if (setting->key) {
		char key = (char)setting->key;

		line_add(line, "-");
		line_add_bytes(line, &key, 1);
		line_add(line, ", ");
	}
	line_add(line, "--");
	line_add(line, setting->option);
}

static const char *fallback_of(const struct setting *setting)
{
	return setting->shown ? setting->shown : setting->fallback;
}

static void print_row(const struct setting *setting, void (*print)(const char *line))
{
	char out[LINE_MAX_BYTES];
	struct line line = line_start(out, sizeof(out));

	line_add(&line, setting->variable);
	add_option(&line, setting, ", ");
	line_add(&line, "  ");
	line_add(&line, setting->argument);
	print(out);
	line = line_start(out, sizeof(out));
	line_add(&line, "    ");
	line_add(&line, setting->help);
	print(out);
	line = line_start(out, sizeof(out));
	line_add(&line, "    accepted: ");
	line_add(&line, setting->values);
	print(out);
	if (!fallback_of(setting)[0])
		return;
	line = line_start(out, sizeof(out));
	line_add(&line, "    default: ");
	line_add(&line, fallback_of(setting));
	print(out);
}

void table_settings(void (*print)(const char *line))
{
	for (size_t row = 0; row < settings_count; row++) {
		if (!settings_table[row].internal)
			print_row(&settings_table[row], print);
	}
}

static void print_markdown(const struct setting *setting, void (*print)(const char *line))
{
	char out[MARKDOWN_MAX_BYTES];
	struct line line = line_start(out, sizeof(out));
	char key = (char)setting->key;

	line_add(&line, "| `");
	line_add(&line, setting->variable);
	line_add(&line, "` | ");
	if (key) {
		line_add(&line, "`-");
		line_add_bytes(&line, &key, 1);
		line_add(&line, "`, ");
	}
	if (setting->option) {
		line_add(&line, "`--");
		line_add(&line, setting->option);
		line_add(&line, "` ");
	}
	line_add(&line, setting->argument);
	line_add(&line, " | ");
	line_add(&line, setting->help);
	line_add(&line, " | ");
	line_add(&line, setting->values);
	line_add(&line, " | ");
	line_add(&line, fallback_of(setting));
	line_add(&line, fallback_of(setting)[0] ? " |" : "|");
	print(out);
}

void table_markdown(void (*print)(const char *line))
{
	print("| variable | option | meaning | accepted | default |");
	print("|---|---|---|---|---|");
	for (size_t row = 0; row < settings_count; row++) {
		if (!settings_table[row].internal)
			print_markdown(&settings_table[row], print);
	}
}

void table_events(void (*print)(const char *line))
{
	for (size_t row = 0; row < known_count; row++) {
		const struct known_event *event = &known_table[row];
		char out[LINE_MAX_BYTES];
		struct line line = line_start(out, sizeof(out));

		if (event->refused)
			continue;
		line_add(&line, event->name);
		do {
			line_add(&line, " ");
		} while (line.used < EVENT_COLUMN);
		line_add(&line, event->help);
		if (event->alias) {
			line_add(&line, " (also ");
			line_add(&line, event->alias);
			line_add(&line, ")");
		}
		print(out);
	}
}
