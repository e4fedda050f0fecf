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

/* Adds "-o, --output", each in the given quotes; nothing for a setting without an option. */
static void add_option(struct text *line, const struct setting *setting, const char *quote)
{
	const char key[] = { (char)setting->key, '\0' };

	if (key[0])
		text_add_all(line, quote, "-", key, quote, ", ", NULL);
	if (setting->option)
		text_add_all(line, quote, "--", setting->option, quote, NULL);
}

static void print_line(void (*print)(const char *line), const char *before, const char *text)
{
	char out[LINE_MAX_BYTES];

	text_make(out, sizeof(out), before, text, NULL);
	print(out);
}

static void print_row(const struct setting *setting, void (*print)(const char *line))
{
	const char *fallback = settings_fallback(setting);
	char out[LINE_MAX_BYTES];
	struct text line = text_into(out, sizeof(out));

	text_add_all(&line, setting->variable, setting->option ? ", " : "", NULL);
	add_option(&line, setting, "");
	text_add_all(&line, "  ", setting->argument, NULL);
	print(out);
	print_line(print, "    ", setting->help);
	print_line(print, "    accepted: ", setting->values);
	if (fallback[0])
		print_line(print, "    default: ", fallback);
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
	const char *fallback = settings_fallback(setting);
	char out[MARKDOWN_MAX_BYTES];
	struct text line = text_into(out, sizeof(out));

	text_add_all(&line, "| `", setting->variable, "` | ", NULL);
	add_option(&line, setting, "`");
	text_add_all(&line, setting->option ? " " : "", setting->argument, " | ", setting->help,
		     " | ", setting->values, " | ", fallback, fallback[0] ? " |" : "|", NULL);
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
		if (event->alias)
			text_add_all(&line, " (also ", event->alias, ")", NULL);
		print(out);
	}
}
