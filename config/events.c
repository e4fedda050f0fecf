/*
 * The event list, read by recursive descent, one function per rule:
 *
 *   list  := spec (',' spec)*
 *   spec  := event | '{' event (',' event)* '}' [':' mods]
 *   event := kind ['/' terms '/' [[':'] mods] | ':' mods]
 *   terms := term (',' term)*        term := 'period=' N | 'freq=' N | 'name=' TEXT
 *   mods  := [uk]+
 *
 * A kind is a known name; what perf's grammar has besides (raw, PMU, tracepoint, breakpoint,
 * probe) is recognised, so that it is refused for what it is and not as a misspelt name.
 */
#include "config/events.h"

#include <errno.h>
#include <string.h>

#include <linux/perf_event.h>

#include "config/line.h"
#include "config/known.h"
#include "config/scan.h"

#define MODIFIER_USER	1u
#define MODIFIER_KERNEL 2u

/* What is known of an event beyond its struct until its group is complete. */
struct draft {
	size_t at; /* where it stands in the text */
	size_t length;
	unsigned modifiers; /* MODIFIER_*; a group's are added to its members', as perf does */
	bool named;	    /* by name=…, which modifiers do not change */
};

struct parser {
	struct scan scan;
	struct events *events;
	struct draft draft[EVENTS_MAX];
};

static int parse_modifiers(struct parser *parser, unsigned *modifiers)
{
	struct scan *scan = &parser->scan;
	size_t from = scan->at;

	for (;; scan->at++) {
		char byte = scan->text[scan->at];

		if (byte == 'u')
			*modifiers |= MODIFIER_USER;
		else if (byte == 'k')
			*modifiers |= MODIFIER_KERNEL;
		else if (byte && strchr("hGHpPSDIWebRX", byte))
			return scan_refuse(scan, scan->at, "modifier ", scan->text + scan->at, 1,
					   " is one of perf's that this version does not know, "
					   "only u and k");
		else
			break;
	}
	return scan->at == from ? scan_expected(scan, "modifier (u, k)") : 0;
}

static int parse_name_term(struct parser *parser, struct event *event, struct draft *draft)
{
	struct scan *scan = &parser->scan;
	const char *text = scan->text + scan->at;
	size_t length = 0;

	while ((unsigned char)text[length] > ' ' && text[length] != 0x7f && text[length] != ',' &&
	       text[length] != '/')
		length++;
	if (length == 0)
		return scan_expected(scan, "name");
	if (length >= EVENTS_NAME_MAX)
		return scan_refuse(scan, scan->at, "the name ", text, length,
				   " is longer than 63 bytes");
	memcpy(event->name, text, length);
	event->name[length] = '\0';
	draft->named = true;
	scan->at += length;
	return 0;
}

static int parse_rate_term(struct parser *parser, struct event *event, bool leads, bool period)
{
	struct scan *scan = &parser->scan;
	size_t from = scan->at;
	uint64_t number;
	int err;

	if (!leads)
		return scan_refuse(scan, from, "a rate for a member: ", NULL, 0,
				   "only a group's first event takes samples");
	err = scan_count(scan, &number);
	if (err)
		return err;
	if (number == 0)
		return scan_refuse(scan, from, NULL, scan->text + from, scan->at - from,
				   " would never take a sample");
	if (event->period || event->frequency_hz)
		return scan_refuse(scan, from, "a second rate, ", scan->text + from,
				   scan->at - from, ", for one event");
	if (period)
		event->period = number;
	else
		event->frequency_hz = number;
	return 0;
}

enum term { TERM_PERIOD, TERM_FREQUENCY, TERM_NAME };

static int parse_term(struct parser *parser, struct event *event, struct draft *draft, bool leads)
{
	static const struct scan_word words[] = {
		{ "period", TERM_PERIOD },
		{ "freq", TERM_FREQUENCY },
		{ "name", TERM_NAME },
		{ NULL, 0 },
	};
	struct scan *scan = &parser->scan;
	unsigned term;
	int err;

	err = scan_word(scan, words, &term);
	if (err)
		return err;
	if (!scan_skip(scan, '='))
		return scan_expected(scan, "'='");
	if (term == TERM_NAME)
		return parse_name_term(parser, event, draft);
	return parse_rate_term(parser, event, leads, term == TERM_PERIOD);
}

static int parse_terms(struct parser *parser, struct event *event, struct draft *draft, bool leads)
{
	int err;

	do {
		err = parse_term(parser, event, draft, leads);
		if (err)
			return err;
	} while (scan_skip(&parser->scan, ','));
	if (!scan_skip(&parser->scan, '/'))
		return scan_expected(&parser->scan, "',' or '/'");
	return 0;
}

static bool begins_with_any(const char *text, const char *const *beginnings)
{
	for (; *beginnings; beginnings++) {
		if (strncmp(text, *beginnings, strlen(*beginnings)) == 0)
			return true;
	}
	return false;
}

static bool nearly_known(const char *text, size_t length)
{
	for (size_t i = 0; i < known_spellings(); i++) {
		const char *name = known_spelling(i, NULL);

		if ((size_t)line_distance(text, length, name, strlen(name)) * 4 <= length)
			return true;
	}
	return false;
}

/* The kind of perf's grammar that an unknown name begins; NULL for a plain name. */
static const char *foreign_kind(const char *text, size_t length)
{
	static const char modifiers[] = "ukhGHpPSDIWebRX";
	static const char *const probes[] = { "kprobe:", "kretprobe:", "uprobe:", "uretprobe:",
					      NULL };
	static const char *const caches[] = { "L1-",	     "LLC",   "dTLB-", "iTLB-",
					      "branch-load", "node-", NULL };

	if (strncmp(text, "mem:", 4) == 0)
		return "breakpoints are";
	if (begins_with_any(text, probes))
		return "probes are";
	if (begins_with_any(text, caches))
		return "cache events are";
	if (length > 1 && text[0] == 'r' &&
	    strspn(text + 1, "0123456789abcdefABCDEF") >= length - 1)
		return "raw events are";
	if (text[length] == '/' && !nearly_known(text, length))
		return "events of a PMU are";
	if (text[length] == ':' &&
	    strspn(text + length + 1, modifiers) < strcspn(text + length + 1, ",}/"))
		return "tracepoints are";
	return NULL;
}

static int refuse_kind(const struct parser *parser, size_t length, const char *kind)
{
	const struct scan *scan = &parser->scan;
	char after[64];
	struct line line = line_start(after, sizeof(after));

	line_add(&line, ": ");
	line_add(&line, kind);
	line_add(&line, " not in this version");
	return scan_refuse(scan, scan->at, NULL, scan->text + scan->at, length, after);
}

static int parse_kind(struct parser *parser, struct event *event, struct draft *draft)
{
	struct scan *scan = &parser->scan;
	const char *text = scan->text + scan->at;
	size_t length = scan_word_length(scan);
	const struct known_event *named;

	if (length == 0)
		return scan_expected(scan, "event name");
	named = known_find(text, length);
	if (!named) {
		const char *kind = foreign_kind(text, length);

		if (kind)
			return refuse_kind(parser, length, kind);
		return scan_unknown(scan, scan->at, length, "event", known_spelling,
				    known_spellings(), NULL);
	}
	if (named->refused) {
		char after[96];
		struct line line = line_start(after, sizeof(after));

		line_add(&line, " ");
		line_add(&line, named->refused);
		return scan_refuse(scan, scan->at, NULL, text, length, after);
	}
	event->type = named->type;
	event->config = named->config;
	event->unit = named->unit;
	event->off_cpu = named->off_cpu;
	draft->at = scan->at;
	draft->length = length;
	scan->at += length;
	return 0;
}

/* One event; it leads if `leader` is the next free place. */
static int parse_event(struct parser *parser, unsigned leader)
{
	struct events *events = parser->events;
	struct event *event = &events->event[events->count];
	struct draft *draft = &parser->draft[events->count];
	struct scan *scan = &parser->scan;
	int err;

	if (events->count == EVENTS_MAX)
		return scan_refuse(scan, scan->at, NULL, scan->text + scan->at,
				   scan_word_length(scan),
				   " is one more than the 16 events "
				   "that one run counts");
	*event = (struct event){ .leader = leader };
	*draft = (struct draft){ 0 };
	err = parse_kind(parser, event, draft);
	if (err)
		return err;
	if (scan_skip(scan, '/')) {
		err = parse_terms(parser, event, draft, events->count == leader);
		if (err)
			return err;
		if (scan_skip(scan, ':') ||
		    (scan->text[scan->at] && !strchr(",}", scan->text[scan->at])))
			err = parse_modifiers(parser, &draft->modifiers);
	} else if (scan_skip(scan, ':')) {
		err = parse_modifiers(parser, &draft->modifiers);
	}
	events->count++;
	return err;
}

static void finish_name(struct event *event, const struct draft *draft, const char *text)
{
	struct line line;

	if (draft->named)
		return;
	line = line_start(event->name, sizeof(event->name));
	line_add_bytes(&line, text + draft->at, draft->length);
	if (draft->modifiers)
		line_add(&line, ":");
	if (draft->modifiers & MODIFIER_USER)
		line_add(&line, "u");
	if (draft->modifiers & MODIFIER_KERNEL)
		line_add(&line, "k");
}

/* Output files are named after counters, with ':' and '/' as '-'. */
static bool same_file(const char *one, const char *other)
{
	for (;; one++, other++) {
		char a = *one == ':' || *one == '/' ? '-' : *one;
		char b = *other == ':' || *other == '/' ? '-' : *other;

		if (a != b)
			return false;
		if (!a)
			return true;
	}
}

static int finish(struct parser *parser, unsigned from, unsigned group_modifiers)
{
	struct events *events = parser->events;

	for (unsigned i = from; i < events->count; i++) {
		struct event *event = &events->event[i];
		struct draft *draft = &parser->draft[i];

		draft->modifiers |= group_modifiers;
		event->user_only = draft->modifiers == MODIFIER_USER;
		event->kernel_only = draft->modifiers == MODIFIER_KERNEL;
		finish_name(event, draft, parser->scan.text);
		for (unsigned before = 0; before < i; before++) {
			if (same_file(events->event[before].name, event->name))
				return scan_refuse(&parser->scan, draft->at, NULL, event->name,
						   strlen(event->name),
						   " has the name of an earlier event; "
						   "give it another with /name=TEXT/");
		}
	}
	return 0;
}

static int parse_spec(struct parser *parser)
{
	struct scan *scan = &parser->scan;
	unsigned leader = parser->events->count;
	unsigned modifiers = 0;
	int err;

	if (!scan_skip(scan, '{')) {
		err = parse_event(parser, leader);
		return err ? err : finish(parser, leader, 0);
	}
	do {
		err = parse_event(parser, leader);
		if (err)
			return err;
	} while (scan_skip(scan, ','));
	if (!scan_skip(scan, '}'))
		return scan_expected(scan, "',' or '}'");
	if (scan_skip(scan, ':')) {
		err = parse_modifiers(parser, &modifiers);
		if (err)
			return err;
	}
	return finish(parser, leader, modifiers);
}

int events_parse(struct events *events, const char *text, struct complaint *complaint)
{
	struct parser parser = {
		.scan = { .text = text, .complaint = complaint },
		.events = events,
	};
	int err;

	*events = (struct events){ 0 };
	do {
		err = parse_spec(&parser);
		if (err)
			return err;
	} while (scan_skip(&parser.scan, ','));
	return scan_end(&parser.scan, "',' or ':' or '/'");
}
