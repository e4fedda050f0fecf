/*
 * The kind of an event: a known name, a cache event, a raw number, or a kind with a file of its
 * own (probe_events.c, pmu.c).
 */
#include <errno.h>
#include <string.h>

#include <linux/perf_event.h>

#include "config/events/grammar.h"
#include "config/events/known.h"
#include "config/events/lookup.h"
#include "config/text/text.h"

static const struct known_cache *find_cache(const char *text, size_t length)
{
	for (const struct known_cache *cache = known_caches; cache->name; cache++) {
		size_t name = strlen(cache->name);

		if (length > name && text[name] == '-' && memcmp(text, cache->name, name) == 0)
			return cache;
	}
	return NULL;
}

static int parse_cache(const struct scan *scan, size_t length, const struct known_cache *cache,
		       struct event *event)
{
	const char *text = scan->text + scan->at;
	size_t name = strlen(cache->name);

	for (const struct known_cache *use = known_cache_uses; use->name; use++) {
		if (strlen(use->name) != length - name ||
		    memcmp(use->name, text + name, length - name) != 0)
			continue;
		if (!(cache->operations & use->operations))
			return scan_refuse_at(scan, scan->at, length,
					      ": that cache has no such operation (perf-list(1))");
		event->type = PERF_TYPE_HW_CACHE;
		event->config = cache->config | use->config;
		return 0;
	}
	return scan_refuse(scan, scan->at + name, NULL, text, length,
			   ": a cache is followed by -loads, -load-misses, -stores, -store-misses, "
			   "-prefetches or -prefetch-misses");
}

static bool nearly_known(const char *text, size_t length)
{
	for (size_t i = 0; i < known_spellings(); i++) {
		const char *name = known_spelling(i, NULL);

		if ((size_t)text_distance(text, length, name, strlen(name)) * 4 <= length)
			return true;
	}
	return false;
}

/* A colon makes a tracepoint if the text after it is more than modifiers. */
static bool is_tracepoint(const char *text, size_t length)
{
	size_t rest;

	if (text[length] != ':')
		return false;
	rest = strcspn(text + length + 1, ",}/:");
	return rest && strspn(text + length + 1, "ukhGHpPSDIWebRX") < rest;
}

static int parse_known(struct parser *parser, struct event *event, const struct known_event *named,
		       size_t length)
{
	struct scan *scan = &parser->scan;

	if (named->refused)
		return scan_refuse_at(scan, scan->at, length, named->refused);
	event->type = named->type;
	event->config = named->config;
	event->unit = named->unit;
	event->off_cpu = named->off_cpu;
	return 0;
}

/* Length of the name of one processor's event, with or without its PMU:
 * "skl::INST_RETIRED.ANY_P". */
static size_t vendor_length(const struct scan *scan)
{
	struct scan rest = *scan;
	size_t length = scan_word_length(scan);

	if (strncmp(scan->text + scan->at + length, "::", 2) != 0)
		return length;
	rest.at += length + 2;
	return length + 2 + scan_word_length(&rest);
}

static bool parse_vendor(struct parser *parser, struct event *event, size_t *length)
{
	const struct scan *scan = &parser->scan;
	size_t whole = vendor_length(scan);
	struct lookup_code code;

	if (lookup_encode(scan->text + scan->at, whole, &code))
		return false;
	event->type = code.type;
	event->config = code.config;
	event->config1 = code.config1;
	event->config2 = code.config2;
	*length = whole;
	return true;
}

/* Our names, and last the nearest of the processor's. */
static const char *any_spelling(size_t i, const void *nearest)
{
	return i < known_spellings() ? known_spelling(i, NULL) : nearest;
}

/* True for the spelling of processor manuals.  perf's names have small letters and no dots. */
static bool is_vendor_like(const char *text, size_t length)
{
	bool small = false, odd = false;

	for (size_t i = 0; i < length; i++) {
		small |= text[i] >= 'a' && text[i] <= 'z';
		odd |= text[i] == '.' || text[i] == ':';
	}
	return odd || !small;
}

static int refuse_unknown(const struct scan *scan)
{
	const char *text = scan->text + scan->at;
	size_t length = vendor_length(scan);
	const char *nearest = lookup_nearest(text, length);
	struct complaint *complaint = scan->complaint;
	struct lookup_code unused;
	size_t used;

	if (nearest && is_vendor_like(text, length)) {
		char after[LOOKUP_NAME_MAX + 32];

		text_make(after, sizeof(after), " is not a known event, nearest: ", nearest, NULL);
		return scan_refuse_at(scan, scan->at, length, after);
	}
	scan_unknown(scan, scan->at, length, "event", any_spelling,
		     known_spellings() + (nearest ? 1 : 0), nearest);
	used = strlen(complaint->reason);
	if (is_vendor_like(text, length) && lookup_encode(text, length, &unused) == -ENOSYS) {
		struct text line =
			text_into(complaint->reason + used, sizeof(complaint->reason) - used);

		text_add(&line, "; a processor's own names need libpfm4 and the flametrap command");
	}
	return -EINVAL;
}

/* perf also accepts a BPF program's file and a pattern of PMUs. */
static int refuse_other(const struct scan *scan)
{
	const char *text = scan->text + scan->at;
	size_t length = strcspn(text, ",}:");

	if (length > 2 && text[length - 2] == '.' &&
	    (text[length - 1] == 'c' || text[length - 1] == 'o'))
		return scan_refuse_at(scan, scan->at, length,
				      ": a BPF program's file; BPF programs are not supported");
	if (text[0] == '*' || text[0] == '?')
		return scan_refuse_at(
			scan, scan->at, length,
			": a pattern names PMUs of whole sockets, which cannot count one thread");
	return 0;
}

static int parse_word(struct parser *parser, struct event *event, struct draft *draft)
{
	struct scan *scan = &parser->scan;
	const char *text = scan->text + scan->at;
	size_t length = scan_word_length(scan);
	const struct known_event *named = known_find(text, length);
	const struct known_cache *cache = find_cache(text, length);
	uint64_t raw;
	int err = refuse_other(scan);

	if (err)
		return err;
	if (length == 0)
		return scan_expected(scan, "event name");
	if (named) {
		err = parse_known(parser, event, named, length);
	} else if (text[0] == 'r' && length > 1 && length <= 17 &&
		   scan_hex(text + 1, &raw) == length - 1) {
		event->type = PERF_TYPE_RAW;
		event->config = raw;
	} else if (!cache && parse_vendor(parser, event, &length)) {
		;
	} else if (text[length] == '/' && !nearly_known(text, length) && !cache) {
		return pmu_parse(parser, event, draft);
	} else if (is_tracepoint(text, length)) {
		return pmu_parse_tracepoint(parser, event);
	} else if (cache) {
		err = parse_cache(scan, length, cache, event);
	} else {
		err = refuse_unknown(scan);
	}
	scan->at += err ? 0 : length;
	return err;
}

int kind_parse(struct parser *parser, struct event *event, struct draft *draft)
{
	struct scan *scan = &parser->scan;
	bool taken = false;
	int err;

	if (strncmp(scan->text + scan->at, "\\mem:", 5) == 0) /* the spelling of perf-record(1) */
		scan->at++;
	draft->at = scan->at;
	err = probe_events_parse(parser, event, &taken);
	if (!err && !taken)
		err = parse_word(parser, event, draft);
	draft->length = parser->scan.at - draft->at - (draft->open_terms ? 1 : 0);
	return err;
}
