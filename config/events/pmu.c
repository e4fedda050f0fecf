/*
 * PMUs as sysfs describes them (Documentation/ABI/testing/sysfs-bus-event_source-devices-*):
 * `type`, `format/TERM` with the bits that take a value, `events/NAME` with the terms of a named
 * event.  Tracepoints by their id in tracefs.
 */
#include <errno.h>
#include <string.h>

#include <linux/perf_event.h>

#include "config/events/grammar.h"
#include "config/events/lookup.h"
#include "config/text/text.h"

#define DEVICES	  "/sys/bus/event_source/devices"
#define TEXT_MAX  256
#define NAMES_MAX 64

static const char *const trace_roots[] = {
	"/sys/kernel/tracing/events",
	"/sys/kernel/debug/tracing/events",
};

/* Names in a directory, for suggestions. */
struct names {
	size_t count;
	char name[NAMES_MAX][GRAMMAR_PMU_MAX];
};

static int collect(const char *name, void *context)
{
	struct names *names = context;

	if (name[0] == '.' || strlen(name) >= GRAMMAR_PMU_MAX)
		return 0;
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->name[i], name) == 0)
			return 0;
	strcpy(names->name[names->count++], name);
	return names->count == NAMES_MAX;
}

static const char *name_at(size_t i, const void *context)
{
	return ((const struct names *)context)->name[i];
}

static int refuse_name(const struct scan *scan, size_t at, size_t length, const char *noun,
		       const char *directory, const char *other)
{
	struct names names = { 0 };

	lookup_list(directory, collect, &names);
	if (other && names.count < NAMES_MAX)
		lookup_list(other, collect, &names);
	if (names.count)
		return scan_unknown(scan, at, length, noun, name_at, names.count, &names);
	return scan_refuse_at(
		scan, at, length,
		": sysfs or tracefs, where such events are listed, cannot be read here");
}

int pmu_parse(struct parser *parser, struct event *event, struct draft *draft)
{
	struct scan *scan = &parser->scan;
	size_t length = scan_word_length(scan);
	bool fits = text_copy_bytes(draft->pmu, sizeof(draft->pmu), scan->text + scan->at, length);
	char path[TEXT_MAX];
	uint64_t type;

	text_make(path, sizeof(path), DEVICES "/", draft->pmu, "/type", NULL);
	if (!fits || !lookup_number(path, &type) || type > UINT32_MAX)
		return refuse_name(scan, scan->at, length, "event or PMU", DEVICES, NULL);
	event->type = (uint32_t)type;
	scan->at += length + 1;
	draft->open_terms = true;
	return 0;
}

int pmu_parse_tracepoint(struct parser *parser, struct event *event)
{
	struct scan *scan = &parser->scan;
	size_t system = scan_word_length(scan), from = scan->at, length;
	char names[2][GRAMMAR_PMU_MAX], path[TEXT_MAX];

	scan->at += system + 1;
	length = scan_word_length(scan);
	if (strcspn(scan->text + scan->at, "*?[") < strcspn(scan->text + scan->at, ",}/:"))
		return scan_refuse_at(
			scan, scan->at, strcspn(scan->text + scan->at, ",}/:"),
			" is a pattern: name one tracepoint (flametrap events lists them)");
	if (!length || !text_copy_bytes(names[0], GRAMMAR_PMU_MAX, scan->text + from, system) ||
	    !text_copy_bytes(names[1], GRAMMAR_PMU_MAX, scan->text + scan->at, length))
		return scan_expected(scan, "tracepoint's name");
	for (size_t i = 0; i < sizeof(trace_roots) / sizeof(trace_roots[0]); i++) {
		text_make(path, sizeof(path), trace_roots[i], "/", names[0], "/", names[1], "/id",
			  NULL);
		if (!lookup_number(path, &event->config))
			continue;
		event->type = PERF_TYPE_TRACEPOINT;
		scan->at += length;
		return 0;
	}
	text_make(path, sizeof(path), trace_roots[0], "/", names[0], NULL);
	return refuse_name(scan, scan->at, length, "tracepoint", path, NULL);
}

/* Spread the bits of `value` over the ranges "0-7,32-35" of a field.  False if bits are left
 * over. */
static bool spread(const char *ranges, uint64_t value, uint64_t *field)
{
	struct complaint unused;
	struct scan scan = { .text = ranges, .complaint = &unused };

	do {
		uint64_t first, last;

		if (scan_digits(&scan, &first))
			return false;
		last = first;
		if (scan_skip(&scan, '-') && scan_digits(&scan, &last))
			return false;
		for (uint64_t bit = first; bit <= last && bit < 64; bit++, value >>= 1) {
			*field &= ~(1ULL << bit);
			*field |= (value & 1) << bit;
		}
	} while (scan_skip(&scan, ','));
	return value == 0;
}

/* Put a value where `format` says: "config:0-7,32-35". */
static bool put_value(struct event *event, const char *format, uint64_t value)
{
	const char *colon = strchr(format, ':');
	uint64_t *field = strncmp(format, "config1:", 8) == 0	? &event->config1
			  : strncmp(format, "config2:", 8) == 0 ? &event->config2
			  : strncmp(format, "config:", 7) == 0	? &event->config
								: NULL;

	return colon && field && spread(colon + 1, value, field);
}

/* Apply the terms that sysfs gives for a named event: "event=0x3c,umask=0x1". */
static int apply_alias(struct event *event, const struct draft *draft, const char *terms)
{
	struct complaint unused;
	struct scan scan = { .text = terms, .complaint = &unused };

	do {
		char name[GRAMMAR_PMU_MAX], path[TEXT_MAX], format[TEXT_MAX];
		size_t length = scan_word_length(&scan);
		uint64_t value = 1;

		if (!length || !text_copy_bytes(name, sizeof(name), terms + scan.at, length))
			return -EINVAL;
		scan.at += length;
		if (scan_skip(&scan, '=') && scan_code(&scan, &value))
			return -EINVAL;
		text_make(path, sizeof(path), DEVICES "/", draft->pmu, "/format/", name, NULL);
		if (lookup_read(path, format, sizeof(format)) <= 0 ||
		    !put_value(event, format, value))
			return -EINVAL;
	} while (scan_skip(&scan, ','));
	return scan.text[scan.at] ? -EINVAL : 0;
}

static int set_format(struct parser *parser, struct event *event, const char *format, size_t length)
{
	struct scan *scan = &parser->scan;
	size_t from = scan->at;
	uint64_t value = 1;
	int err;

	scan->at += length;
	if (scan_skip(scan, '=')) {
		from = scan->at;
		err = scan_code(scan, &value);
		if (err)
			return err;
	}
	if (!put_value(event, format, value))
		return scan_refuse_at(scan, from, scan->at - from,
				      " has more bits than the term takes");
	return 0;
}

/* True if a text is a positive number that can be shown. */
static bool is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789.");
	const char *rest = text + digits;

	if (digits && (*rest == 'e' || *rest == 'E')) {
		rest += strspn(rest + 1, "+-") ? 2 : 1;
		if (!*rest)
			return false;
		rest += strspn(rest, "0123456789");
	}
	return digits && !*rest && strpbrk(text, "123456789");
}

static bool is_word(const char *text)
{
	for (; *text > ' ' && *text < 0x7f; text++)
		;
	return !*text;
}

/* Read events/NAME.scale and events/NAME.unit.  Counting needs neither. */
static void read_measure(struct event *event, const char *pmu, const char *name)
{
	char path[TEXT_MAX], text[TEXT_MAX];

	text_make(path, sizeof(path), DEVICES "/", pmu, "/events/", name, NULL);
	if (strlen(path) + sizeof(".scale") > sizeof(path))
		return;
	strcat(path, ".scale");
	if (lookup_read(path, text, sizeof(text)) > 0 && strlen(text) < sizeof(event->scale) &&
	    is_number(text))
		strcpy(event->scale, text);
	strcpy(path + strlen(path) - strlen(".scale"), ".unit");
	if (lookup_read(path, text, sizeof(text)) > 0 && strlen(text) < sizeof(event->measure) &&
	    is_word(text))
		strcpy(event->measure, text);
}

/* Parse r1a8 or r0x1a8 as the whole config. */
static bool set_raw(struct scan *scan, struct event *event, const char *name, size_t length)
{
	char code[2 + GRAMMAR_PMU_MAX] = "0x";
	struct complaint unused;
	struct scan digits = { .text = code, .complaint = &unused };

	strcpy(code + 2, name[1] == '0' && name[2] == 'x' ? name + 3 : name + 1);
	if (name[0] != 'r' || scan_code(&digits, &event->config) || code[digits.at])
		return false;
	scan->at += length;
	return true;
}

int pmu_term(struct parser *parser, struct event *event, const struct draft *draft, size_t length)
{
	struct scan *scan = &parser->scan;
	char name[GRAMMAR_PMU_MAX], path[TEXT_MAX], text[TEXT_MAX];

	if (text_copy_bytes(name, sizeof(name), scan->text + scan->at, length)) {
		text_make(path, sizeof(path), DEVICES "/", draft->pmu, "/format/", name, NULL);
		if (lookup_read(path, text, sizeof(text)) > 0)
			return set_format(parser, event, text, length);
		text_make(path, sizeof(path), DEVICES "/", draft->pmu, "/events/", name, NULL);
		if (lookup_read(path, text, sizeof(text)) > 0) {
			if (apply_alias(event, draft, text))
				return scan_refuse(scan, scan->at, NULL, name, length,
						   ": its description in sysfs is not understood");
			read_measure(event, draft->pmu, name);
			scan->at += length;
			return 0;
		}
		if (set_raw(scan, event, name, length))
			return 0;
	}
	text_make(path, sizeof(path), DEVICES "/", draft->pmu, "/format", NULL);
	text_make(text, sizeof(text), DEVICES "/", draft->pmu, "/events", NULL);
	return refuse_name(scan, scan->at, length, "term or event of this PMU", path, text);
}
