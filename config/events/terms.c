/* Terms between slashes: ours, those of perf_event_attr(2), and a PMU's own. */
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "config/events/grammar.h"
#include "config/text/text.h"

#define WAKEUP_EVENTS_MOST 1000

struct term;

/* A term at the cursor, and the event that it belongs to. */
struct use {
	struct scan *scan;
	struct event *event;
	struct draft *draft;
	const struct term *term;
};

/* Read what follows a term's name, and '=' if the term cannot stand alone.  Returns 0, or -EINVAL
 * after a complaint. */
typedef int term_parse(const struct use *use);

struct term {
	const char *name;
	term_parse *parse;
	size_t field;	     /* offset in struct event, for those that fill one field */
	bool alone;	     /* may stand without a value */
	const char *refused; /* the reason for a refusal; NULL: accepted */
};

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

static int parse_name(const struct use *use)
{
	struct scan *scan = use->scan;
	const char *text = scan->text + scan->at;
	size_t quote, length = quoted_length(text, &quote);

	text += quote;
	while (!quote && (unsigned char)text[length] > ' ' && text[length] != 0x7f &&
	       text[length] != ',' && text[length] != '/')
		length++;
	if (length == 0)
		return scan_expected(scan, "name");
	if (!text_copy_bytes(use->event->name, sizeof(use->event->name), text, length))
		return scan_refuse(scan, scan->at, "the name ", text, length,
				   " is longer than 63 bytes");
	use->draft->named = true;
	scan->at += length + 2 * quote;
	return 0;
}

/* Parse a number of samples from 1 to `most`.  `wrong` is the complaint about another number.
 * Only leaders take it; `of_member` begins the complaint about a member. */
static int parse_samples(const struct use *use, const char *of_member, uint64_t most,
			 const char *wrong, uint64_t *number)
{
	struct scan *scan = use->scan;
	size_t from = scan->at;
	int err;

	if (!use->draft->leads)
		return scan_refuse(scan, from, of_member, NULL, 0,
				   "only a group's first event takes samples");
	err = scan_count(scan, number);
	if (!err && (*number == 0 || *number > most))
		err = scan_refuse_at(scan, from, scan->at - from, wrong);
	return err;
}

static int parse_rate(const struct use *use)
{
	struct scan *scan = use->scan;
	size_t from = scan->at;
	uint64_t number = 0;
	int err = parse_samples(use, "a rate for a member: ", UINT64_MAX,
				" would never take a sample", &number);

	if (err)
		return err;
	if (use->event->period || use->event->frequency_hz)
		return scan_refuse(scan, from, "a second rate, ", scan->text + from,
				   scan->at - from, ", for one event");
	*(uint64_t *)((char *)use->event + use->term->field) = number;
	return 0;
}

/* PERF_EVENT_IOC_REFRESH takes an int. */
static int parse_refresh(const struct use *use)
{
	uint64_t number = 0;
	int err = parse_samples(use, "refresh for a member: ", INT32_MAX,
				" is not a number of samples from 1 to 2147483647", &number);

	use->event->refresh = (uint32_t)number;
	return err;
}

static int parse_wakeup(const struct use *use)
{
	uint64_t number = 0;
	int err = parse_samples(use, "wakeup_events for a member: ", WAKEUP_EVENTS_MOST,
				" is not a number of samples from 1 to 1000", &number);

	use->event->wakeup_events = number > 1 ? (uint32_t)number : 0;
	return err;
}

/* Parse one of the clock names of perf record -k. */
static int parse_clock(const struct use *use)
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

	if (!use->draft->leads)
		return scan_refuse(use->scan, use->scan->at, "a clock for a member: ", NULL, 0,
				   "its counts are in the records of the group's first event");
	err = scan_word(use->scan, clocks, &clock);
	use->event->has_clock = !err;
	use->event->clockid = (int32_t)clock;
	return err;
}

static int parse_bounded(struct scan *scan, uint64_t most, const char *what, uint64_t *number)
{
	size_t from = scan->at;
	int err = scan_count(scan, number);

	if (!err && *number > most)
		return scan_refuse_at(scan, from, scan->at - from, what);
	return err;
}

static int parse_precise(const struct use *use)
{
	uint64_t number = 0;
	int err = parse_bounded(use->scan, 3, " is not a precision, accepted: 0 to 3", &number);

	use->event->precise = (unsigned)number;
	return err;
}

static int parse_max_stack(const struct use *use)
{
	uint64_t number = 0;
	int err = parse_bounded(use->scan, UINT16_MAX, " is more than the kernel keeps", &number);

	use->event->sample_max_stack = (uint16_t)number;
	return err;
}

static int parse_code(const struct use *use)
{
	return scan_code(use->scan, (uint64_t *)((char *)use->event + use->term->field));
}

static int read_flag(struct scan *scan, bool *flag)
{
	uint64_t number = 1;
	int err = 0;

	if (scan_skip(scan, '='))
		err = parse_bounded(scan, 1, " is not a flag, accepted: 0 or 1", &number);
	*flag = number != 0;
	return err;
}

static int parse_flag(const struct use *use)
{
	return read_flag(use->scan, (bool *)((char *)use->event + use->term->field));
}

static int parse_ret(const struct use *use)
{
	size_t at = use->scan->at - strlen(use->term->name);

	if (!use->event->symbol[0] && !use->event->path[0])
		return scan_refuse(use->scan, at, NULL, "ret", 3,
				   " is for uprobe: and kprobe: only");
	use->event->config |= 1; /* format/retprobe of the uprobe and kprobe PMUs: config:0 */
	return 0;
}

static int parse_time(const struct use *use)
{
	size_t at = use->scan->at - strlen(use->term->name);
	bool wanted;
	int err = read_flag(use->scan, &wanted);

	if (!err && !wanted)
		err = scan_refuse(use->scan, at, "term ", "time", 4, ": every record has its time");
	return err;
}

#define FIELD(text, parser, member)                                                        \
	{                                                                                  \
		.name = (text), .parse = (parser), .field = offsetof(struct event, member) \
	}
#define FLAG(member)                                                                           \
	{                                                                                      \
		.name = #member, .parse = parse_flag, .field = offsetof(struct event, member), \
		.alone = true                                                                  \
	}
#define REFUSED(text, why)                          \
	{                                           \
		.name = (text), .refused = ": " why \
	}
#define EACH_THREAD "every thread has counters of its own"
#define OUTSIDE	    "means nothing within a process"

static const struct term terms[] = {
	FIELD("period", parse_rate, period),
	FIELD("freq", parse_rate, frequency_hz),
	FIELD("refresh", parse_refresh, refresh),
	FIELD("name", parse_name, name),
	FIELD("config", parse_code, config),
	FIELD("config1", parse_code, config1),
	FIELD("config2", parse_code, config2),
	FIELD("precise", parse_precise, precise),
	FIELD("precise_ip", parse_precise, precise),
	FIELD("max-stack", parse_max_stack, sample_max_stack),
	FIELD("sample_max_stack", parse_max_stack, sample_max_stack),
	FLAG(pinned),
	FLAG(exclusive),
	{ "exclude_user", parse_flag, offsetof(struct event, kernel_only), true, NULL },
	{ "exclude_kernel", parse_flag, offsetof(struct event, user_only), true, NULL },
	FLAG(exclude_hv),
	FLAG(exclude_idle),
	FLAG(exclude_host),
	FLAG(exclude_guest),
	FLAG(exclude_callchain_kernel),
	{ .name = "ret", .parse = parse_ret, .alone = true },
	{ .name = "time", .parse = parse_time, .alone = true },
	FIELD("wakeup_events", parse_wakeup, wakeup_events),
	FIELD("clockid", parse_clock, clockid),
	REFUSED("call-graph", "every sample has its whole stack, by unwind rules"),
	REFUSED("stack-size", "the stack is walked in place and not copied"),
	REFUSED("wakeup_watermark", "a watermark has no effect on the kernel's signal; "
				    "wakeup_events=N asks for one signal per N samples"),
	REFUSED("inherit", EACH_THREAD),
	REFUSED("no-inherit", EACH_THREAD),
	REFUSED("overwrite", OUTSIDE),
	REFUSED("percore", EACH_THREAD),
	REFUSED("aux-output", OUTSIDE),
	REFUSED("aux-sample-size", OUTSIDE),
};
#define TERMS (sizeof(terms) / sizeof(terms[0]))

static const char *term_name(size_t i, const void *context)
{
	(void)context;
	return terms[i].name;
}

static const struct term *find_term(const char *text, size_t length)
{
	for (size_t i = 0; i < TERMS; i++)
		if (strlen(terms[i].name) == length && memcmp(terms[i].name, text, length) == 0)
			return &terms[i];
	return NULL;
}

static int parse_term(struct parser *parser, struct event *event, struct draft *draft)
{
	struct scan *scan = &parser->scan;
	size_t at = scan->at, length = scan_word_length(scan);
	const struct term *term = find_term(scan->text + at, length);

	if (scan->text[at] == '@')
		return scan_refuse_at(
			scan, at, 1,
			": a driver's parameters are for AUX tracing, which is not supported");
	if (!length)
		return scan_expected(scan, "word");
	if (!term && draft->pmu[0])
		return pmu_term(parser, event, draft, length);
	if (!term)
		return scan_unknown(scan, at, length, NULL, term_name, TERMS, NULL);
	if (term->refused)
		return scan_refuse(scan, at, "term ", scan->text + at, length, term->refused);
	scan->at += length;
	if (!term->alone && !scan_skip(scan, '='))
		return scan_expected(scan, "'='");
	return term->parse(&(struct use){ scan, event, draft, term });
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
