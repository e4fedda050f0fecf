/* The tables of the verbs together, their options in one list, and how values are stored: they are
 * texts of argv, and those of settings are checked when the settings are read. */
#include "runtime/command/options/manual.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/scan.h"

#define WORDS_BYTES 128
#define HELP_BYTES  512

#define ROW(name) &manual_##name,

const struct manual *const manual_verbs[] = { VERBS(ROW) };
const size_t manual_verb_count = sizeof(manual_verbs) / sizeof(manual_verbs[0]);

const struct manual *manual_find(const char *verb)
{
	for (size_t i = 0; i < manual_verb_count; i++)
		if (strcmp(manual_verbs[i]->name, verb) == 0)
			return manual_verbs[i];
	return NULL;
}

/* Returns the words that a rule accepts, the first of those with the same meaning. */
static const char *list_words(const struct scan_word *word, char *words)
{
	size_t used = 0;

	words[0] = '\0';
	for (const struct scan_word *first = word; word->text; word++) {
		const struct scan_word *same = first;

		while (same->value != word->value)
			same++;
		if (same == word && used < WORDS_BYTES)
			used += (size_t)snprintf(words + used, WORDS_BYTES - used, "%s%s",
						 used ? " " : "", word->text);
	}
	return words;
}

static const char *words_of(const struct setting *setting, char *words)
{
	values_parse *parse = setting->rule.parse;

	if (parse == values_events)
		return MANUAL_EVENT;
	if (parse == values_stem)
		return MANUAL_FILE;
	if (parse == values_directory)
		return MANUAL_DIRECTORY;
	if (parse == values_switch)
		return "yes no";
	return parse == values_word || parse == values_words
		       ? list_words(setting->rule.words, words)
		       : NULL;
}

/* Returns the setting's help with its accepted values; events fill a separate page. */
static const char *help_of(const struct setting *setting, const struct manual *manual, char *help)
{
	bool events = setting->rule.parse == values_events;
	bool own =
		manual->frequency && setting->rule.field == offsetof(struct settings, frequency_hz);
	const char *fallback = own ? manual->frequency : settings_fallback(setting);

	if (setting->flag)
		return setting->help;
	snprintf(help, HELP_BYTES, "%s (%s%s%s)", setting->help,
		 events ? "names and terms as flametrap help events lists them" : setting->values,
		 *fallback ? "; default " : "", fallback);
	return help;
}

static struct manual_option of_setting(const struct setting *setting, size_t row,
				       const struct manual *manual)
{
	static char words[SETTINGS_ROWS_MAX][WORDS_BYTES];
	static char help[SETTINGS_ROWS_MAX][HELP_BYTES];

	return (struct manual_option){
		.name = setting->option,
		.letter = (char)setting->key,
		.argument = setting->flag ? "YES" : setting->argument,
		.words = words_of(setting, words[row]),
		.store = setting->flag ? options_switch : options_text,
		.field = offsetof(struct options, value[row]),
		.help = help_of(setting, manual, help[row]),
	};
}

bool manual_is_optional(const struct manual_option *option)
{
	return option->store == options_switch;
}

_Static_assert(SETTINGS_ROWS_MAX < MANUAL_ROWS_MAX, "every setting has room, and so has --help");

/* Returns whether a list of words with blanks between them has a word. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list && *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strncmp(list, word, length) == 0 && (list[length] == ' ' || !list[length]))
			return true;
	return false;
}

size_t manual_options(const struct manual *manual, struct manual_option *rows)
{
	size_t count = 0;

	for (size_t row = 0; manual->settings && row < settings_count; row++)
		if (settings_table[row].option &&
		    !has_word(manual->without, settings_table[row].option))
			rows[count++] = of_setting(&settings_table[row], row, manual);
	for (size_t group = 0; group < MANUAL_GROUPS; group++) {
		const struct manual_option *option = manual->options[group];

		for (; option && option->name; option++) {
			if (count == MANUAL_ROWS_MAX - 1)
				abort();
			rows[count++] = *option;
		}
	}
	if (!manual->own_help)
		rows[count++] = (struct manual_option){ .name = "help",
							.letter = 'h',
							.help = "print this" };
	return count;
}

void options_name_one(const struct setting *setting, char *line, size_t bytes)
{
	size_t length = strlen(setting->variable);
	char rest[SETTINGS_LINE_MAX];

	if (strncmp(line, setting->variable, length) != 0 || line[length] != '=')
		return;
	snprintf(rest, sizeof(rest), "%s", line + length);
	snprintf(line, bytes, "--%s%s", setting->option, rest);
}

void options_name(const struct options *options, char *line, size_t bytes)
{
	for (size_t row = 0; row < settings_count; row++)
		if (options->value[row])
			options_name_one(&settings_table[row], line, bytes);
}

int options_text(const char *text, void *field, char *line, size_t bytes)
{
	(void)line;
	(void)bytes;
	*(const char **)field = text;
	return 0;
}

int options_switch(const char *text, void *field, char *line, size_t bytes)
{
	return options_text(text ? text : "yes", field, line, bytes);
}

int options_flag(const char *text, void *field, char *line, size_t bytes)
{
	(void)text;
	(void)line;
	(void)bytes;
	*(bool *)field = true;
	return 0;
}

bool options_number(const char *text, unsigned least, unsigned most, unsigned *number)
{
	char *end;
	unsigned long found;

	errno = 0;
	found = strtoul(text, &end, 10);
	*number = (unsigned)found;
	return !errno && end != text && !*end && *text != '-' && found >= least && found <= most;
}
