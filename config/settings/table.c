/*
 * The text of the tables, made line by line in a small buffer, because it also runs in the target.
 */
#include "config/settings/table.h"

#include <string.h>

#include "config/events/known.h"
#include "config/settings/settings.h"
#include "config/text/text.h"

#define LINE_MAX_BYTES	   240
#define MARKDOWN_MAX_BYTES 700
#define EVENT_COLUMN	   26

static void add_option(struct text *line, const struct setting *setting, const char *before)
{
	if (!setting->option)
		return;
	text_add(line, before);
	if (setting->key) {
		char key = (char)setting->key;

		text_add(line, "-");
		text_add_bytes(line, &key, 1);
		text_add(line, ", ");
	}
	text_add(line, "--");
	text_add(line, setting->option);
}

static const char *fallback_of(const struct setting *setting)
{
	return setting->shown ? setting->shown : setting->fallback;
}

static void print_row(const struct setting *setting, void (*print)(const char *line))
{
	char out[LINE_MAX_BYTES];
	struct text line = text_into(out, sizeof(out));

	text_add(&line, setting->variable);
	add_option(&line, setting, ", ");
	text_add(&line, "  ");
	text_add(&line, setting->argument);
	print(out);
	line = text_into(out, sizeof(out));
	text_add(&line, "    ");
	text_add(&line, setting->help);
	print(out);
	line = text_into(out, sizeof(out));
	text_add(&line, "    accepted: ");
	text_add(&line, setting->values);
	print(out);
	if (!fallback_of(setting)[0])
		return;
	line = text_into(out, sizeof(out));
	text_add(&line, "    default: ");
	text_add(&line, fallback_of(setting));
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
	struct text line = text_into(out, sizeof(out));
	char key = (char)setting->key;

	text_add(&line, "| `");
	text_add(&line, setting->variable);
	text_add(&line, "` | ");
	if (key) {
		text_add(&line, "`-");
		text_add_bytes(&line, &key, 1);
		text_add(&line, "`, ");
	}
	if (setting->option) {
		text_add(&line, "`--");
		text_add(&line, setting->option);
		text_add(&line, "` ");
	}
	text_add(&line, setting->argument);
	text_add(&line, " | ");
	text_add(&line, setting->help);
	text_add(&line, " | ");
	text_add(&line, setting->values);
	text_add(&line, " | ");
	text_add(&line, fallback_of(setting));
	text_add(&line, fallback_of(setting)[0] ? " |" : "|");
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
		struct text line = text_into(out, sizeof(out));

		if (event->refused)
			continue;
		text_add(&line, event->name);
		do {
			text_add(&line, " ");
		} while (line.used < EVENT_COLUMN);
		text_add(&line, event->help);
		if (event->alias) {
			text_add(&line, " (also ");
			text_add(&line, event->alias);
			text_add(&line, ")");
		}
		print(out);
	}
}
