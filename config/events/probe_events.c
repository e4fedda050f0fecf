/*
 * Events at a place in the program: breakpoints and watchpoints, user and kernel probes.
 *
 *   mem:(0xADDR | SYMBOL['+'OFFSET])['/'LEN][':'rwx]
 *   (uprobe|uretprobe):[PATH:]SYMBOL['+'OFFSET] | (uprobe|uretprobe):PATH:0xOFFSET
 *   (kprobe|kretprobe):SYMBOL['+'OFFSET]
 *
 * The address of a symbol is not known yet.  The runtime looks it up, also in libraries that are
 * loaded later.
 */
#include <string.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "config/events/grammar.h"
#include "config/events/lookup.h"
#include "config/text/text.h"

/* Length up to one of `ends`.  "::" is part of a C++ name. */
static size_t symbol_length(const char *text, const char *ends)
{
	size_t length = 0;

	while (text[length] &&
	       !(strchr(ends, text[length]) && !(text[length] == ':' && text[length + 1] == ':')))
		length += text[length] == ':' ? 2 : 1;
	return length;
}

static int take_text(const struct scan *scan, size_t length, const char *noun, char *to,
		     size_t bytes)
{
	if (length == 0)
		return scan_expected(scan, noun);
	if (length >= bytes)
		return scan_refuse_at(scan, scan->at, length, " is longer than 255 bytes");
	for (size_t i = 0; i < length; i++)
		if (scan->text[scan->at + i] <= ' ' || scan->text[scan->at + i] > '~')
			return scan_refuse_at(scan, scan->at + i, 1, " cannot be part of it");
	memcpy(to, scan->text + scan->at, length);
	to[length] = '\0';
	return 0;
}

/* Parse SYMBOL['+'OFFSET] or a number into event->symbol and *offset. */
static int parse_target(struct scan *scan, struct event *event, uint64_t *offset)
{
	size_t length;
	int err;

	*offset = 0;
	if (scan->text[scan->at] >= '0' && scan->text[scan->at] <= '9')
		return scan_count(scan, offset);
	length = symbol_length(scan->text + scan->at, "+/:,}");
	err = take_text(scan, length, "symbol or address", event->symbol, sizeof(event->symbol));
	if (err)
		return err;
	scan->at += length;
	return scan_skip(scan, '+') ? scan_count(scan, offset) : 0;
}

static int parse_length(struct scan *scan, struct event *event)
{
	size_t from = scan->at;
	int err = scan_digits(scan, &event->bp_len);

	if (err)
		return err;
	if (event->bp_len != 1 && event->bp_len != 2 && event->bp_len != 4 && event->bp_len != 8)
		return scan_refuse_at(scan, from, scan->at - from,
				      " bytes cannot be watched, accepted: 1, 2, 4 or 8");
	return 0;
}

/* Parse r, w and x up to the next ':' or the end.  Other letters are modifiers. */
static int parse_access(struct scan *scan, struct event *event)
{
	const char *text = scan->text + scan->at + 1;
	size_t length;

	if (scan->text[scan->at] != ':')
		return 0;
	length = strspn(text, "rwx");
	if (!length || (text[length] && !strchr(":,}/", text[length])))
		return 0;
	for (size_t i = 0; i < length; i++)
		event->bp_type |= text[i] == 'r'   ? HW_BREAKPOINT_R
				  : text[i] == 'w' ? HW_BREAKPOINT_W
						   : HW_BREAKPOINT_X;
	if (event->bp_type & HW_BREAKPOINT_X && event->bp_type != HW_BREAKPOINT_X)
		return scan_refuse_at(scan, scan->at + 1, length,
				      ": x (execution) cannot be combined with r or w");
	scan->at += 1 + length;
	return 0;
}

static int parse_breakpoint(struct scan *scan, struct event *event)
{
	size_t from;
	int err;

	scan->at += strlen("mem:");
	from = scan->at;
	event->type = PERF_TYPE_BREAKPOINT;
	err = parse_target(scan, event, &event->bp_addr);
	if (err)
		return err;
	event->bp_len = 0;
	if (scan->text[scan->at] == '/' && scan->text[scan->at + 1] >= '0' &&
	    scan->text[scan->at + 1] <= '9') {
		scan->at++;
		err = parse_length(scan, event);
	}
	if (!err)
		err = parse_access(scan, event);
	if (err)
		return err;
	if (!event->bp_type)
		event->bp_type = HW_BREAKPOINT_RW; /* as in perf-record(1) */
	if (!event->bp_len || event->bp_type == HW_BREAKPOINT_X)
		event->bp_len = event->bp_type == HW_BREAKPOINT_X ? sizeof(long) : 4;
	if (event->bp_type != HW_BREAKPOINT_X && event->bp_addr % event->bp_len)
		return scan_refuse_at(scan, from, scan->at - from,
				      ": the address must be a multiple of the length");
	return 0;
}

static int probe_type(const struct scan *scan, struct event *event, const char *pmu)
{
	char path[64];
	uint64_t type;

	text_make(path, sizeof(path), "/sys/bus/event_source/devices/", pmu, "/type", NULL);
	if (!lookup_number(path, &type))
		return scan_refuse(scan, scan->at, NULL, pmu, strlen(pmu),
				   " cannot be counted here: this kernel has no such PMU in sysfs");
	event->type = (uint32_t)type;
	return 0;
}

/* Parse PATH and a colon.  "::" is part of a C++ name, which stands alone, like a name without a
 * colon. */
static int parse_path(struct scan *scan, struct event *event)
{
	const char *text = scan->text + scan->at;
	size_t length = strcspn(text, ":,}");
	int err;

	event->anywhere = text[length] != ':' || text[length + 1] == ':';
	if (event->anywhere && length && text[0] >= '0' && text[0] <= '9')
		return scan_refuse_at(scan, scan->at, length,
				      ": an offset needs a file, uprobe:PATH:OFFSET");
	if (event->anywhere && text[0] == '/') {
		scan->at += length;
		return scan_expected(scan, "':'");
	}
	if (event->anywhere)
		return 0;
	err = take_text(scan, length, "path", event->path, sizeof(event->path));
	if (!err)
		scan->at += length + 1;
	return err;
}

static int parse_probe(struct scan *scan, struct event *event, bool user, bool returns,
		       size_t prefix)
{
	int err = probe_type(scan, event, user ? "uprobe" : "kprobe");

	if (err)
		return err;
	scan->at += prefix;
	if (user)
		err = parse_path(scan, event);
	if (err)
		return err;
	event->config = returns;
	return parse_target(scan, event, &event->probe_offset);
}

int probe_events_parse(struct parser *parser, struct event *event, bool *taken)
{
	static const struct {
		const char *prefix;
		bool user, returns;
	} probes[] = {
		{ "uprobe:", true, false },
		{ "uretprobe:", true, true },
		{ "kprobe:", false, false },
		{ "kretprobe:", false, true },
	};
	struct scan *scan = &parser->scan;
	const char *text = scan->text + scan->at;

	*taken = true;
	if (strncmp(text, "mem:", 4) == 0)
		return parse_breakpoint(scan, event);
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		if (strncmp(text, probes[i].prefix, strlen(probes[i].prefix)) == 0)
			return parse_probe(scan, event, probes[i].user, probes[i].returns,
					   strlen(probes[i].prefix));
	*taken = false;
	return 0;
}
