/* Every function reads the whole text before it stores a value. */
#include "config/settings/settings.h"

#include <stdbool.h>
#include <string.h>

#include "config/events/events.h"
#include "config/settings/pattern.h"
#include "config/settings/signals.h"
#include "config/text/scan.h"

static struct scan start(const char *text, struct complaint *complaint)
{
	return (struct scan){ .text = text, .complaint = complaint };
}

/* Parse a text that is exactly one word. */
static int word(const char *text, const struct scan_word *words, unsigned *value,
		struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	int err = scan_word(&scan, words, value);

	return err ? err : scan_end(&scan, "part of the word");
}

/* gcc and clang give an enum without negative constants the type unsigned. */
int values_word(const struct values_rule *rule, void *field, const char *text,
		struct complaint *complaint)
{
	unsigned value;
	int err = word(text, rule->words, &value, complaint);

	if (!err)
		*(unsigned *)field = value;
	return err;
}

int values_words(const struct values_rule *rule, void *field, const char *text,
		 struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	unsigned all = 0;
	int err;

	do {
		unsigned value;

		err = scan_word(&scan, rule->words, &value);
		if (err)
			return err;
		all |= value;
	} while (scan_skip(&scan, ','));
	err = scan_end(&scan, "','");
	if (!err)
		*(unsigned *)field = all;
	return err;
}

int values_switch(const struct values_rule *rule, void *field, const char *text,
		  struct complaint *complaint)
{
	static const struct scan_word words[] = { VALUES_SWITCH(true, false), { NULL, 0 } };
	unsigned value;
	int err = word(text, words, &value, complaint);

	(void)rule;
	if (!err)
		*(bool *)field = value;
	return err;
}

/* Parse a number with the scanner of its kind.  The text must end after it (`noun` names what
 * could follow), and the number must be within bounds. */
static int number(const struct values_rule *rule, int (*take)(struct scan *scan, uint64_t *value),
		  const char *noun, const char *text, uint64_t *value, struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	uint64_t found;
	int err = take(&scan, &found);

	if (!err)
		err = scan_end(&scan, noun);
	if (err)
		return err;
	if (found < rule->least)
		return scan_refuse_at(&scan, 0, strlen(text), " is too small");
	if (found > rule->most)
		return scan_refuse_at(&scan, 0, strlen(text), " is too large");
	*value = found;
	return 0;
}

int values_count(const struct values_rule *rule, void *field, const char *text,
		 struct complaint *complaint)
{
	return number(rule, scan_count, "digit", text, field, complaint);
}

int values_size(const struct values_rule *rule, void *field, const char *text,
		struct complaint *complaint)
{
	return number(rule, scan_bytes, "unit (K, M, G)", text, field, complaint);
}

int values_duration(const struct values_rule *rule, void *field, const char *text,
		    struct complaint *complaint)
{
	return number(rule, scan_duration, "part of a duration", text, field, complaint);
}

int values_digits(const struct values_rule *rule, void *field, const char *text,
		  struct complaint *complaint)
{
	uint64_t value = 0;
	int err = number(rule, scan_digits, "digit", text, &value, complaint);

	if (!err)
		*(unsigned *)field = (unsigned)value;
	return err;
}

int values_text(const struct values_rule *rule, void *field, const char *text,
		struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	size_t length = strlen(text);

	(void)rule;
	if (length >= SETTINGS_TEXT_MAX)
		return scan_refuse(&scan, SETTINGS_TEXT_MAX - 1, "it is longer than 4095 bytes",
				   NULL, 0, NULL);
	memcpy(field, text, length + 1);
	return 0;
}

int values_directory(const struct values_rule *rule, void *field, const char *text,
		     struct complaint *complaint)
{
	struct scan scan = start(text, complaint);

	return *text ? values_text(rule, field, text, complaint)
		     : scan_expected(&scan, "directory");
}

int values_stem(const struct values_rule *rule, void *field, const char *text,
		struct complaint *complaint)
{
	int err = pattern_check(text, complaint);

	return err ? err : values_text(rule, field, text, complaint);
}

int values_events(const struct values_rule *rule, void *field, const char *text,
		  struct complaint *complaint)
{
	(void)rule;
	return events_parse(field, text, complaint);
}

int values_signal(const struct values_rule *rule, void *field, const char *text,
		  struct complaint *complaint)
{
	(void)rule;
	return signals_parse(field, text, complaint);
}
