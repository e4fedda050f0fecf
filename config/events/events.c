/*
 * The event list, read by recursive descent, one function per rule:
 *
 *   list  := spec (',' spec)*
 *   spec  := event | '{' event (',' event)* '}' [':' mods]
 *   event := kind ['/' terms '/' [[':'] mods] | ':' mods]        kind.c, probe_events.c, pmu.c
 *   terms := term (',' term)*                                    terms.c, pmu.c
 *   mods  := [ukhHpPSDeWI]+                                      modifiers.c
 */
#include "config/events/events.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include <linux/perf_event.h>

#include "config/events/grammar.h"
#include "config/events/known.h"
#include "config/text/text.h"

/* Parse one event.  It is a leader if `leader` is the next free index. */
static int parse_event(struct parser *parser, unsigned leader)
{
	struct events *events = parser->events;
	struct event *event = &events->event[events->count];
	struct draft *draft = &parser->draft[events->count];
	struct scan *scan = &parser->scan;
	int err;

	if (events->count == EVENTS_MAX)
		return scan_refuse_at(scan, scan->at, scan_word_length(scan),
				      " is one more than the 16 events that one run counts");
	*event = (struct event){ .leader = leader };
	*draft = (struct draft){ .leads = events->count == leader };
	err = kind_parse(parser, event, draft);
	if (err)
		return err;
	if (draft->open_terms || scan_skip(scan, '/')) {
		err = terms_parse(parser, event, draft);
		if (err)
			return err;
		if (draft->pmu[0])
			draft->length = scan->at - draft->at;
		if (scan_skip(scan, ':') ||
		    (scan->text[scan->at] && !strchr(",}", scan->text[scan->at])))
			err = modifiers_parse(parser, &draft->modifiers);
	} else if (scan_skip(scan, ':')) {
		err = modifiers_parse(parser, &draft->modifiers);
	}
	events->count++;
	return err;
}

static void finish_name(struct event *event, const struct draft *draft, const char *text)
{
	char modifiers[24];
	struct text line;

	if (draft->named)
		return;
	line = text_into(event->name, sizeof(event->name));
	text_add_bytes(&line, text + draft->at, draft->length);
	modifiers_text(draft->modifiers, modifiers, sizeof(modifiers));
	text_add(&line, modifiers);
}

/* True if two counters would have the same output file: in file names ':' and '/' become '-'. */
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

/* Checked after all terms, because software/config=1/ is a clock too. */
static int check_terms(const struct parser *parser, const struct event *event,
		       const struct draft *draft)
{
	const char *why = NULL;

	if (event->refresh && known_is_clock(event->type, event->config))
		why = " with refresh: a clock that stops itself freezes machines of Linux 6.16 and "
		      "6.17";
	else if (event->refresh && event->off_cpu)
		why = " with refresh: time off the processor needs every switch";
	else if (event->wakeup_events && event->off_cpu)
		why = " with wakeup_events: each switch is measured when the thread is back";
	else if (event->wakeup_events && event->refresh)
		why = " with wakeup_events and refresh: the last signal tells that it stopped";
	else if (event->has_clock && event->off_cpu && event->clockid != CLOCK_MONOTONIC &&
		 event->clockid != CLOCK_MONOTONIC_RAW)
		why = " with this clockid: waiting cannot be measured by a clock that can be set "
		      "or runs in a suspended machine";
	return why ? scan_refuse_at(&parser->scan, draft->at, draft->length, why) : 0;
}

static int finish(struct parser *parser, unsigned from, unsigned group_modifiers)
{
	struct events *events = parser->events;

	for (unsigned i = from; i < events->count; i++) {
		struct event *event = &events->event[i];
		struct draft *draft = &parser->draft[i];

		draft->modifiers |= group_modifiers;
		modifiers_apply(event, draft->modifiers);
		if (event->user_only && event->kernel_only)
			return scan_refuse_at(&parser->scan, draft->at, draft->length,
					      " leaves nothing to count: both sides are excluded");
		if (check_terms(parser, event, draft))
			return -EINVAL;
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
		err = modifiers_parse(parser, &modifiers);
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

/* True if each occurrence is worth a stack.  perf samples these one by one too. */
static bool is_rare(const struct event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT || event->type == PERF_TYPE_TRACEPOINT ||
	       event->symbol[0] || event->path[0];
}

static void set_rate(const struct event *event, uint64_t period, uint64_t frequency_hz,
		     struct perf_event_attr *attr)
{
	if (event->period || event->frequency_hz) {
		period = event->period;
		frequency_hz = event->frequency_hz;
	} else if (!period && frequency_hz && is_rare(event)) {
		period = 1;
	}
	if (period) {
		attr->sample_period = period;
	} else if (frequency_hz) {
		attr->freq = 1;
		attr->sample_freq = frequency_hz;
	}
}

void events_attr(const struct event *event, uint64_t period, uint64_t frequency_hz,
		 bool kernel_allowed, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = event->config1;
	attr->config2 = event->config2;
	if (event->type == PERF_TYPE_BREAKPOINT) {
		attr->bp_type = event->bp_type;
		attr->bp_addr = event->bp_addr;
		attr->bp_len = event->bp_len;
	}
	attr->exclude_user = event->kernel_only;
	attr->exclude_kernel = event->user_only || !kernel_allowed;
	attr->exclude_hv = attr->exclude_kernel || event->exclude_hv;
	attr->exclude_idle = event->exclude_idle;
	attr->exclude_host = event->exclude_host;
	attr->exclude_guest = event->exclude_guest;
	attr->exclude_callchain_kernel = event->exclude_callchain_kernel;
	attr->precise_ip = event->precise & 3;
	attr->pinned = event->pinned;
	attr->exclusive = event->exclusive;
	attr->sample_max_stack = event->sample_max_stack;
	set_rate(event, period, frequency_hz, attr);
}

/* On arm64 a breakpoint stops the thread before the access, and the kernel steps over it with the
 * breakpoint switched off (arch/arm64/kernel/hw_breakpoint.c).  A signal comes before that step:
 * the step is that of the handler's first instruction, and the access that is made again after the
 * handler raises the next signal, for ever. */
#if defined(__aarch64__)
#define BREAKPOINTS_GO_ON false
#else
#define BREAKPOINTS_GO_ON true
#endif

int events_refused_here(const struct event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT && !BREAKPOINTS_GO_ON ? -ELOOP : 0;
}

bool events_time_will_do(const struct event *event)
{
	bool clock = event->unit == EVENTS_UNIT_NS && !event->off_cpu;

	return clock ||
	       (event->type != PERF_TYPE_SOFTWARE && event->type != PERF_TYPE_TRACEPOINT &&
		event->type != PERF_TYPE_BREAKPOINT && !event->symbol[0] && !event->path[0]);
}
