/*
 * Terms between slashes: ours, those of perf_event_attr(2), and a PMU's own.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "config/events/grammar.h"

#define WAKEUP_EVENTS_MOST 1000

enum term {
	TERM_PERIOD,
	TERM_FREQUENCY,
	TERM_REFRESH,
	TERM_NAME,
	TERM_CONFIG,
	TERM_CONFIG1,
	TERM_CONFIG2,
	TERM_PRECISE,
	TERM_MAX_STACK,
	TERM_PINNED,
	TERM_EXCLUSIVE,
	TERM_EXCLUDE_USER,
	TERM_EXCLUDE_KERNEL,
	TERM_EXCLUDE_HV,
	TERM_EXCLUDE_IDLE,
	TERM_EXCLUDE_HOST,
	TERM_EXCLUDE_GUEST,
	TERM_EXCLUDE_CALLCHAIN_KERNEL,
	TERM_RET,
	TERM_TIME,
	TERM_WAKEUP_EVENTS,
	TERM_CLOCKID,
	TERM_REFUSED,
};

static const struct scan_word words[] = {
	{ "period", TERM_PERIOD },
	{ "freq", TERM_FREQUENCY },
	{ "refresh", TERM_REFRESH },
	{ "name", TERM_NAME },
	{ "config", TERM_CONFIG },
	{ "config1", TERM_CONFIG1 },
	{ "config2", TERM_CONFIG2 },
	{ "precise", TERM_PRECISE },
	{ "precise_ip", TERM_PRECISE },
	{ "max-stack", TERM_MAX_STACK },
	{ "sample_max_stack", TERM_MAX_STACK },
	{ "pinned", TERM_PINNED },
	{ "exclusive", TERM_EXCLUSIVE },
	{ "exclude_user", TERM_EXCLUDE_USER },
	{ "exclude_kernel", TERM_EXCLUDE_KERNEL },
	{ "exclude_hv", TERM_EXCLUDE_HV },
	{ "exclude_idle", TERM_EXCLUDE_IDLE },
	{ "exclude_host", TERM_EXCLUDE_HOST },
	{ "exclude_guest", TERM_EXCLUDE_GUEST },
	{ "exclude_callchain_kernel", TERM_EXCLUDE_CALLCHAIN_KERNEL },
	{ "ret", TERM_RET },
	{ "time", TERM_TIME },
	{ "wakeup_events", TERM_WAKEUP_EVENTS },
	{ "clockid", TERM_CLOCKID },
	{ "call-graph", TERM_REFUSED },
	{ "stack-size", TERM_REFUSED },
	{ "wakeup_watermark", TERM_REFUSED },
	{ "inherit", TERM_REFUSED },
	{ "no-inherit", TERM_REFUSED },
	{ "overwrite", TERM_REFUSED },
	{ "percore", TERM_REFUSED },
	{ "aux-output", TERM_REFUSED },
	{ "aux-sample-size", TERM_REFUSED },
	{ NULL, 0 },
};

static const char *why_not(const char *text)
{
	if (*text == 'c' && text[1] == 'a')
		return ": every sample has its whole stack, by unwind rules";
	if (*text == 's')
		return ": the stack is walked in place and not copied";
	if (*text == 'w')
		return ": a watermark has no effect on the kernel's signal; wakeup_events=N asks "
		       "for one signal per N samples";
	if (*text == 'i' || *text == 'n' || *text == 'p')
		return ": every thread has counters of its own";
	return ": means nothing within a process";
}

/* Length of the text in 'TEXT' or \'TEXT\'.  It may contain characters that would otherwise end
 * a name. */
static size_t quoted_length(const char *text, size_t *quote)
{
	const char *end;

	*quote = text[0] == '\\' && text[1] == '\'' ? 2 : text[0] == '\'' ? 1 : 0;
	if (!*quote)
		return 0;
	for (end = text + *quote; (unsigned char)*end >= ' ' && *end != 0x7f; end++)
		if (strncmp(end, text, *quote) == 0)
			return (size_t)(end - text) - *quote;
	return 0;
}

static int parse_name(struct parser *parser, struct event *event, struct draft *draft)
{
	struct scan *scan = &parser->scan;
	const char *text = scan->text + scan->at;
	size_t quote, length = quoted_length(text, &quote);

	text += quote;
	while (!quote && (unsigned char)text[length] > ' ' && text[length] != 0x7f &&
	       text[length] != ',' && text[length] != '/')
		length++;
	if (length == 0)
		return scan_expected(scan, "name");
	if (length >= EVENTS_NAME_MAX)
		return scan_refuse(scan, scan->at, "the name ", text, length,
				   " is longer than 63 bytes");
	memcpy(event->name, text, length);
	event->name[length] = '\0';
	draft->named = true;
	scan->at += length + 2 * quote;
	return 0;
}

static int parse_rate(struct parser *parser, struct event *event, const struct draft *draft,
		      bool period)
{
	struct scan *scan = &parser->scan;
	size_t from = scan->at;
	uint64_t number;
	int err;

	if (!draft->leads)
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

/* Parse a number of samples from 1 to `most`.  `wrong` is the complaint about another number.
 * Only leaders take it; `of_member` begins the complaint about a member. */
static int parse_samples(struct parser *parser, const struct draft *draft, const char *of_member,
			 uint64_t most, const char *wrong, uint64_t *number)
{
	struct scan *scan = &parser->scan;
	size_t from = scan->at;
	int err;

	if (!draft->leads)
		return scan_refuse(scan, from, of_member, NULL, 0,
				   "only a group's first event takes samples");
	err = scan_count(scan, number);
	if (!err && (*number == 0 || *number > most))
		err = scan_refuse(scan, from, NULL, scan->text + from, scan->at - from, wrong);
	return err;
}

/* PERF_EVENT_IOC_REFRESH takes an int. */
static int parse_refresh(struct parser *parser, struct event *event, const struct draft *draft)
{
	uint64_t number = 0;
	int err = parse_samples(parser, draft, "refresh for a member: ", INT32_MAX,
				" is not a number of samples from 1 to 2147483647", &number);

	if (!err)
		event->refresh = (uint32_t)number;
	return err;
}

static int parse_wakeup(struct parser *parser, struct event *event, const struct draft *draft)
{
	uint64_t number = 0;
	int err = parse_samples(parser, draft, "wakeup_events for a member: ", WAKEUP_EVENTS_MOST,
				" is not a number of samples from 1 to 1000", &number);

	if (!err)
		event->wakeup_events = number > 1 ? (uint32_t)number : 0;
	return err;
}

/* Parse one of the clock names of perf record -k. */
static int parse_clock(struct parser *parser, struct event *event, const struct draft *draft)
{
	static const struct scan_word clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "real", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
		{ NULL, 0 },
	};
	unsigned clock;
	int err;

	if (!draft->leads)
		return scan_refuse(&parser->scan, parser->scan.at, "a clock for a member: ", NULL,
				   0, "its counts are in the records of the group's first event");
	err = scan_word(&parser->scan, clocks, &clock);
	event->has_clock = !err;
	event->clockid = (int32_t)clock;
	return err;
}

static int parse_bounded(struct scan *scan, uint64_t most, const char *what, uint64_t *number)
{
	size_t from = scan->at;
	int err = scan_count(scan, number);

	if (!err && *number > most)
		return scan_refuse(scan, from, NULL, scan->text + from, scan->at - from, what);
	return err;
}

static int set_number(struct parser *parser, struct event *event, enum term term)
{
	struct scan *scan = &parser->scan;
	uint64_t number;
	int err;

	if (term == TERM_PRECISE) {
		err = parse_bounded(scan, 3, " is not a precision, accepted: 0 to 3", &number);
		event->precise = (unsigned)number;
	} else if (term == TERM_MAX_STACK) {
		err = parse_bounded(scan, UINT16_MAX, " is more than the kernel keeps", &number);
		event->sample_max_stack = (uint16_t)number;
	} else {
		err = scan_code(scan, &number);
		if (!err)
			*(term == TERM_CONFIG	 ? &event->config
			  : term == TERM_CONFIG1 ? &event->config1
						 : &event->config2) = number;
	}
	return err;
}

/* A flag stands alone or with =0 or =1. */
static int parse_flag(struct scan *scan, bool *flag)
{
	uint64_t number = 1;
	int err = 0;

	if (scan_skip(scan, '='))
		err = parse_bounded(scan, 1, " is not a flag, accepted: 0 or 1", &number);
	*flag = number != 0;
	return err;
}

__attribute__((nonnull)) static bool *flag_of(struct event *event, enum term term)
{
	switch (term) {
	case TERM_PINNED:
		return &event->pinned;
	case TERM_EXCLUSIVE:
		return &event->exclusive;
	case TERM_EXCLUDE_USER:
		return &event->kernel_only;
	case TERM_EXCLUDE_KERNEL:
		return &event->user_only;
	case TERM_EXCLUDE_HV:
		return &event->exclude_hv;
	case TERM_EXCLUDE_IDLE:
		return &event->exclude_idle;
	case TERM_EXCLUDE_HOST:
		return &event->exclude_host;
	case TERM_EXCLUDE_GUEST:
		return &event->exclude_guest;
	default:
		return &event->exclude_callchain_kernel;
	}
}

static int parse_ret(struct parser *parser, struct event *event, size_t at)
{
	if (!event->symbol[0] && !event->path[0])
		return scan_refuse(&parser->scan, at, NULL, "ret", 3,
				   " is for uprobe: and kprobe: only");
	event->probe_returns = true;
	event->config |= 1; /* format/retprobe of the uprobe and kprobe PMUs: config:0 */
	return 0;
}

static int parse_time(struct scan *scan, size_t at)
{
	bool wanted;
	int err = parse_flag(scan, &wanted);

	if (!err && !wanted)
		err = scan_refuse(scan, at, "term ", "time", 4, ": every record has its time");
	return err;
}

static const struct scan_word *find_word(const char *text, size_t length)
{
	for (const struct scan_word *word = words; word->text; word++)
		if (strlen(word->text) == length && memcmp(word->text, text, length) == 0)
			return word;
	return NULL;
}

static int parse_term(struct parser *parser, struct event *event, struct draft *draft)
{
	struct scan *scan = &parser->scan;
	size_t at = scan->at, length = scan_word_length(scan);
	const struct scan_word *word = find_word(scan->text + at, length);
	unsigned ours;

	if (scan->text[at] == '@')
		return scan_refuse(
			scan, at, NULL, scan->text + at, 1,
			": a driver's parameters are for AUX tracing, which is not supported");
	if (!word && draft->pmu[0] && length)
		return pmu_term(parser, event, draft, length);
	if (!word)
		return scan_word(scan, words, &ours); /* complains with the nearest name */
	if (word->value == TERM_REFUSED)
		return scan_refuse(scan, at, "term ", scan->text + at, length, why_not(word->text));
	scan->at += length;
	if (word->value == TERM_RET)
		return parse_ret(parser, event, at);
	if (word->value == TERM_TIME)
		return parse_time(scan, at);
	if (word->value >= TERM_PINNED && word->value <= TERM_EXCLUDE_CALLCHAIN_KERNEL)
		return parse_flag(scan, flag_of(event, word->value));
	if (!scan_skip(scan, '='))
		return scan_expected(scan, "'='");
	if (word->value == TERM_NAME)
		return parse_name(parser, event, draft);
	if (word->value == TERM_REFRESH)
		return parse_refresh(parser, event, draft);
	if (word->value == TERM_WAKEUP_EVENTS)
		return parse_wakeup(parser, event, draft);
	if (word->value == TERM_CLOCKID)
		return parse_clock(parser, event, draft);
	if (word->value == TERM_PERIOD || word->value == TERM_FREQUENCY)
		return parse_rate(parser, event, draft, word->value == TERM_PERIOD);
	return set_number(parser, event, word->value);
}

int terms_parse(struct parser *parser, struct event *event, struct draft *draft)
{
	int err;

	do {
		err = parse_term(parser, event, draft);
		if (err)
			return err;
	} while (scan_skip(&parser->scan, ','));
	if (!scan_skip(&parser->scan, '/'))
		return scan_expected(&parser->scan, "',' or '/'");
	return 0;
}
