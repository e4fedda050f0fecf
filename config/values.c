/*
 * From a setting's text to its fields.  Every parser reads the whole text or refuses it.
 */
#include "config/values.h"

#include <string.h>

#include "config/glob.h"
#include "config/lookup.h"
#include "config/pattern.h"
#include "config/scan.h"
#include "config/signals.h"

#define BOOLEANS(on, off)                                                                     \
	{ "yes", (on) }, { "no", (off) }, { "on", (on) }, { "off", (off) }, { "true", (on) }, \
		{ "false", (off) }, { "1", (on) },                                            \
	{                                                                                     \
		"0", (off)                                                                    \
	}

#define FREQUENCY_MOST 1000000
#define MEMORY_LEAST   (1ULL << 20)
#define MEMORY_MOST    (1ULL << 36) /* a node reference counts units of 16 bytes in 32 bits */

static struct scan start(const char *text, struct complaint *complaint)
{
	return (struct scan){ .text = text, .complaint = complaint };
}

/* One word that is the whole text. */
static int word(const char *text, const struct scan_word *words, unsigned *value,
		struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	int err = scan_word(&scan, words, value);

	return err ? err : scan_end(&scan, "part of the word");
}

static int boolean(const char *text, bool *value, struct complaint *complaint)
{
	static const struct scan_word words[] = { BOOLEANS(1, 0), { NULL, 0 } };
	unsigned found;
	int err = word(text, words, &found, complaint);

	if (!err)
		*value = found;
	return err;
}

static int between(const struct scan *scan, uint64_t number, uint64_t least, uint64_t most)
{
	if (number < least)
		return scan_refuse(scan, 0, NULL, scan->text, strlen(scan->text), " is too small");
	if (number > most)
		return scan_refuse(scan, 0, NULL, scan->text, strlen(scan->text), " is too large");
	return 0;
}

static int copy(char *out, const char *text, struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	size_t length = strlen(text);

	if (length >= SETTINGS_TEXT_MAX)
		return scan_refuse(&scan, SETTINGS_TEXT_MAX - 1, "it is longer than 4095 bytes",
				   NULL, 0, NULL);
	memcpy(out, text, length + 1);
	return 0;
}

int values_mode(struct settings *settings, const char *text, struct complaint *complaint)
{
	static const struct scan_word words[] = {
		BOOLEANS(SETTINGS_ON, SETTINGS_OFF),
		{ "help", SETTINGS_HELP },
		{ NULL, 0 },
	};
	unsigned value;
	int err = word(text, words, &value, complaint);

	if (!err)
		settings->mode = (enum settings_mode)value;
	return err;
}

/* Stays where it is, in the environment, until the events were read, which come next. */
int values_encoded(struct settings *settings, const char *text, struct complaint *complaint)
{
	struct scan scan = start(text, complaint);

	(void)settings;
	do {
		if (!scan_word_length(&scan) && (!text[scan.at] || !strchr(":=,", text[scan.at])))
			return scan_expected(&scan, "code");
	} while (text[++scan.at]);
	lookup_encoded(text);
	return 0;
}

int values_events(struct settings *settings, const char *text, struct complaint *complaint)
{
	return events_parse(&settings->events, text, complaint);
}

int values_frequency(struct settings *settings, const char *text, struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	uint64_t number;
	int err;

	if (strcmp(text, "max") == 0) {
		settings->frequency_hz = SETTINGS_FREQUENCY_MAX;
		return 0;
	}
	err = scan_count(&scan, &number);
	if (!err)
		err = scan_end(&scan, "digit");
	if (!err)
		err = between(&scan, number, 1, FREQUENCY_MOST);
	if (!err)
		settings->frequency_hz = number;
	return err;
}

int values_period(struct settings *settings, const char *text, struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	uint64_t number;
	int err = scan_count(&scan, &number);

	if (!err)
		err = scan_end(&scan, "digit");
	if (!err)
		err = between(&scan, number, 1, INT64_MAX);
	if (err)
		return err;
	settings->period = number;
	settings->frequency_hz = 0;
	return 0;
}

int values_output(struct settings *settings, const char *text, struct complaint *complaint)
{
	int err = pattern_check(text, complaint);

	return err ? err : copy(settings->output, text, complaint);
}

int values_format(struct settings *settings, const char *text, struct complaint *complaint)
{
	static const struct scan_word words[] = {
		{ "folded", SETTINGS_FORMAT_FOLDED },
		{ "svg", SETTINGS_FORMAT_SVG },
		{ "pprof", SETTINGS_FORMAT_PPROF },
		{ "speedscope", SETTINGS_FORMAT_SPEEDSCOPE },
		{ "gperftools", SETTINGS_FORMAT_GPERFTOOLS },
		{ "spool", SETTINGS_FORMAT_SPOOL },
		{ NULL, 0 },
	};
	struct scan scan = start(text, complaint);
	unsigned formats = 0;

	do {
		unsigned value;
		int err = scan_word(&scan, words, &value);

		if (err)
			return err;
		formats |= value;
	} while (scan_skip(&scan, ','));
	settings->formats = formats;
	return scan_end(&scan, "','");
}

int values_weight(struct settings *settings, const char *text, struct complaint *complaint)
{
	static const struct scan_word words[] = {
		{ "auto", SETTINGS_WEIGHT_AUTO },
		{ "samples", SETTINGS_WEIGHT_SAMPLES },
		{ "events", SETTINGS_WEIGHT_EVENTS },
		{ NULL, 0 },
	};
	unsigned value;
	int err = word(text, words, &value, complaint);

	if (!err)
		settings->weight = (enum settings_weight)value;
	return err;
}

int values_threads(struct settings *settings, const char *text, struct complaint *complaint)
{
	static const struct scan_word words[] = {
		{ "merge", SETTINGS_THREADS_MERGE },
		{ "name", SETTINGS_THREADS_NAME },
		{ "id", SETTINGS_THREADS_ID },
		{ NULL, 0 },
	};
	unsigned value;
	int err = word(text, words, &value, complaint);

	if (!err)
		settings->threads = (enum settings_threads)value;
	return err;
}

int values_kernel(struct settings *settings, const char *text, struct complaint *complaint)
{
	static const struct scan_word words[] = {
		{ "auto", SETTINGS_KERNEL_AUTO },
		BOOLEANS(SETTINGS_KERNEL_YES, SETTINGS_KERNEL_NO),
		{ NULL, 0 },
	};
	unsigned value;
	int err = word(text, words, &value, complaint);

	if (!err)
		settings->kernel = (enum settings_kernel)value;
	return err;
}

int values_notify(struct settings *settings, const char *text, struct complaint *complaint)
{
	static const struct scan_word words[] = {
		{ "auto", SETTINGS_NOTIFY_AUTO },
		{ "sigtrap", SETTINGS_NOTIFY_SIGTRAP },
		{ "sigio", SETTINGS_NOTIFY_SIGIO },
		{ "timer", SETTINGS_NOTIFY_TIMER },
		{ NULL, 0 },
	};
	unsigned value;
	int err = word(text, words, &value, complaint);

	if (!err)
		settings->notify = (enum settings_notify)value;
	return err;
}

int values_signal(struct settings *settings, const char *text, struct complaint *complaint)
{
	return signals_parse(&settings->signal, text, complaint);
}

int values_depth(struct settings *settings, const char *text, struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	uint64_t number;
	int err = scan_digits(&scan, &number);

	if (!err)
		err = scan_end(&scan, "digit");
	if (!err)
		err = between(&scan, number, 1, SETTINGS_DEPTH_MAX);
	if (!err)
		settings->depth = (unsigned)number;
	return err;
}

int values_memory(struct settings *settings, const char *text, struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	uint64_t bytes;
	int err = scan_bytes(&scan, &bytes);

	if (!err)
		err = scan_end(&scan, "unit (K, M, G)");
	if (!err)
		err = between(&scan, bytes, MEMORY_LEAST, MEMORY_MOST);
	if (!err)
		settings->memory_bytes = bytes;
	return err;
}

int values_spool(struct settings *settings, const char *text, struct complaint *complaint)
{
	struct scan scan = start(text, complaint);

	if (!*text)
		return scan_expected(&scan, "directory");
	return copy(settings->spool, text, complaint);
}

int values_follow(struct settings *settings, const char *text, struct complaint *complaint)
{
	bool follow;
	int err;

	if (boolean(text, &follow, complaint) == 0) {
		settings->follow = follow;
		settings->follow_glob[0] = '\0';
		return 0;
	}
	err = glob_check(text, complaint);
	if (!err)
		err = copy(settings->follow_glob, text, complaint);
	if (!err)
		settings->follow = true;
	return err;
}

int values_start(struct settings *settings, const char *text, struct complaint *complaint)
{
	static const struct scan_word words[] = { { "now", false },
						  { "paused", true },
						  { NULL, 0 } };
	struct scan scan = start(text, complaint);
	uint64_t ns;
	unsigned paused;
	int err;

	if (text[0] >= '0' && text[0] <= '9') {
		err = scan_duration(&scan, &ns);
		if (!err)
			err = scan_end(&scan, "part of a duration");
		if (!err) {
			settings->start_paused = false;
			settings->start_delay_ns = ns;
		}
		return err;
	}
	err = word(text, words, &paused, complaint);
	if (!err) {
		settings->start_paused = paused;
		settings->start_delay_ns = 0;
	}
	return err;
}

int values_stop(struct settings *settings, const char *text, struct complaint *complaint)
{
	struct scan scan = start(text, complaint);
	uint64_t ns;
	int err = scan_duration(&scan, &ns);

	if (!err)
		err = scan_end(&scan, "part of a duration");
	if (!err)
		err = between(&scan, ns, 1, INT64_MAX);
	if (!err)
		settings->stop_after_ns = ns;
	return err;
}

int values_log(struct settings *settings, const char *text, struct complaint *complaint)
{
	static const struct scan_word words[] = {
		{ "quiet", SETTINGS_LOG_QUIET },
		{ "error", SETTINGS_LOG_ERROR },
		{ "info", SETTINGS_LOG_INFO },
		{ NULL, 0 },
	};
	unsigned value;
	int err = word(text, words, &value, complaint);

	if (!err)
		settings->log = (enum settings_log)value;
	return err;
}

int values_inline(struct settings *settings, const char *text, struct complaint *complaint)
{
	return boolean(text, &settings->inlined, complaint);
}

int values_lines(struct settings *settings, const char *text, struct complaint *complaint)
{
	return boolean(text, &settings->lines, complaint);
}

int values_off_cpu(struct settings *settings, const char *text, struct complaint *complaint)
{
	return boolean(text, &settings->off_cpu, complaint);
}

int values_wall(struct settings *settings, const char *text, struct complaint *complaint)
{
	return boolean(text, &settings->wall, complaint);
}

int values_coarse(struct settings *settings, const char *text, struct complaint *complaint)
{
	return boolean(text, &settings->coarse, complaint);
}

int values_strict(struct settings *settings, const char *text, struct complaint *complaint)
{
	return boolean(text, &settings->strict, complaint);
}

int values_collect(struct settings *settings, const char *text, struct complaint *complaint)
{
	return boolean(text, &settings->collected, complaint);
}

int values_runtimes(struct settings *settings, const char *text, struct complaint *complaint)
{
	return boolean(text, &settings->runtimes, complaint);
}
