/*
 * Local times are converted by the C library.  Daylight saving makes some of them exist twice or
 * not at all, so each is asked for with and without it, and compared with what it converts back to.
 */
#include "runtime/profile/time/window.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "config/text/scan.h"

#define SECOND_NS  1000000000ULL
#define YEAR_FIRST 1970
#define YEAR_LAST  2500 /* its ns fit in 64 bits */
#define DAYS_MAX   6	/* three days, with and without daylight saving */

/* A date and a time of day, as they were written. */
struct written {
	bool dated;
	unsigned year, month, day;
	unsigned hour, minute, second, ns;
	bool zoned;
	int east_minutes;
};

/* Reads exactly `digits` digits, of a number of at most `most`. */
static bool read_number(const char **text, unsigned digits, unsigned most, unsigned *number)
{
	*number = 0;
	for (; digits; digits--, (*text)++) {
		if (**text < '0' || **text > '9')
			return false;
		*number = *number * 10 + (unsigned)(**text - '0');
	}
	return *number <= most;
}

static bool skip(const char **text, char byte)
{
	if (**text != byte)
		return false;
	++*text;
	return true;
}

static unsigned month_days(unsigned year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return month == 2 && leap ? 29 : days[month - 1];
}

static bool read_date(const char **text, struct written *to)
{
	to->dated = true;
	return read_number(text, 4, YEAR_LAST, &to->year) && to->year >= YEAR_FIRST &&
	       skip(text, '-') && read_number(text, 2, 12, &to->month) && to->month &&
	       skip(text, '-') && read_number(text, 2, month_days(to->year, to->month), &to->day) &&
	       to->day && (skip(text, 'T') || skip(text, ' '));
}

static bool read_fraction(const char **text, unsigned *ns)
{
	unsigned scale = SECOND_NS / 10, digit;
	bool any = false;

	for (*ns = 0; scale && read_number(text, 1, 9, &digit); scale /= 10, any = true)
		*ns += digit * scale;
	return any;
}

static bool read_zone(const char **text, struct written *to)
{
	bool west = **text == '-';
	unsigned hours, minutes;

	to->zoned = true;
	if (skip(text, 'Z'))
		return true;
	++*text;
	if (!read_number(text, 2, 14, &hours))
		return false;
	skip(text, ':');
	if (!read_number(text, 2, 59, &minutes))
		return false;
	to->east_minutes = (int)(hours * 60 + minutes) * (west ? -1 : 1);
	return true;
}

static bool read_written(const char *text, struct written *to)
{
	*to = (struct written){ 0 };
	if (strlen(text) > 4 && text[4] == '-' && !read_date(&text, to))
		return false;
	if (!read_number(&text, 2, 23, &to->hour) || !skip(&text, ':') ||
	    !read_number(&text, 2, 59, &to->minute))
		return false;
	if (skip(&text, ':') && !read_number(&text, 2, 59, &to->second))
		return false;
	if (skip(&text, '.') && !read_fraction(&text, &to->ns))
		return false;
	if (to->dated && *text && strchr("Z+-", *text) && !read_zone(&text, to))
		return false;
	return !*text;
}

/* Finds a local time of a day that is given as in mktime(3).  Returns false if there is none with
 * that state of daylight saving. */
static bool find_local(struct tm day, uint64_t day_ns, bool saving, uint64_t *ns)
{
	uint64_t seconds = day_ns / SECOND_NS;
	struct tm asked, back;
	time_t found;

	day.tm_hour = (int)(seconds / 3600);
	day.tm_min = (int)(seconds / 60 % 60);
	day.tm_sec = (int)(seconds % 60);
	day.tm_isdst = saving;
	asked = day;
	found = mktime(&asked);
	if (found < 0 || !localtime_r(&found, &back) || (back.tm_isdst > 0) != saving ||
	    back.tm_hour != day.tm_hour || back.tm_min != day.tm_min || back.tm_sec != day.tm_sec)
		return false;
	*ns = (uint64_t)found * SECOND_NS + day_ns % SECOND_NS;
	return true;
}

static uint64_t day_ns(const struct written *at)
{
	return (at->hour * 3600 + at->minute * 60 + at->second) * SECOND_NS + at->ns;
}

/* Returns false for a local time that the clock left out. */
static bool find_dated(const struct written *at, uint64_t *ns)
{
	struct tm day = {
		.tm_year = (int)at->year - 1900,
		.tm_mon = (int)at->month - 1,
		.tm_mday = (int)at->day,
	};
	int64_t seconds;

	if (!at->zoned)
		return find_local(day, day_ns(at), true, ns) ||
		       find_local(day, day_ns(at), false, ns);
	seconds = timegm(&day) - (int64_t)at->east_minutes * 60;
	*ns = (uint64_t)seconds * SECOND_NS + day_ns(at);
	return seconds >= 0;
}

static int refuse(const char *name, const char *text, char *line, size_t bytes)
{
	snprintf(line, bytes,
		 "--%s is '%.60s', not a time: seconds or a duration since the start (1.5, 200ms), "
		 "before the end (-5s), or a clock's (14:02:33, 2026-11-23T14:02:33Z)",
		 name, text);
	return -EINVAL;
}

static int parse_clock(const char *name, const char *text, struct window_moment *moment, char *line,
		       size_t bytes)
{
	struct written at;

	if (!read_written(text, &at))
		return refuse(name, text, line, bytes);
	*moment = (struct window_moment){ WINDOW_DAY, day_ns(&at) };
	if (!at.dated)
		return 0;
	moment->base = WINDOW_CLOCK;
	if (find_dated(&at, &moment->ns))
		return 0;
	snprintf(line, bytes, "--%s is %.60s, a time that no clock showed there", name, text);
	return -EINVAL;
}

int window_parse(const char *name, const char *text, struct window_moment *moment, char *line,
		 size_t bytes)
{
	struct complaint complaint;
	struct scan scan = { .text = text, .complaint = &complaint };
	bool end;

	if (strchr(text, ':'))
		return parse_clock(name, text, moment, line, bytes);
	end = scan_skip(&scan, '-');
	moment->base = end ? WINDOW_END : WINDOW_START;
	if (scan_duration(&scan, &moment->ns) || scan_end(&scan, "unit"))
		return refuse(name, text, line, bytes);
	return 0;
}

bool window_is_set(const struct window *window)
{
	return window->from.base != WINDOW_OPEN || window->to.base != WINDOW_OPEN;
}

/* Lists the times of day from one day before a moment to one day after it.  Returns how many. */
static size_t list_days(uint64_t around_ns, uint64_t day_ns, uint64_t found[DAYS_MAX])
{
	time_t around = (time_t)(around_ns / SECOND_NS);
	struct tm today, day;
	size_t count = 0;

	if (!localtime_r(&around, &today))
		return 0;
	for (int days = -1; days <= 1; days++)
		for (int saving = 1; saving >= 0; saving--) {
			day = today;
			day.tm_mday += days;
			count += find_local(day, day_ns, saving, &found[count]);
		}
	return count;
}

static uint64_t distance(uint64_t ns, const uint64_t *bounds)
{
	return ns < bounds[0] ? bounds[0] - ns : ns > bounds[1] ? ns - bounds[1] : 0;
}

/* Returns whether a time of day lies nearer to the profile, or as near and later. */
static bool is_nearer(uint64_t ns, uint64_t than, const uint64_t *bounds)
{
	uint64_t away = distance(ns, bounds), before = distance(than, bounds);

	return !than || away < before || (away == before && ns > than);
}

/* `from_ns` is the window's start for its end; 0 for its start, and where it has none. */
static uint64_t place_day(uint64_t day_ns, uint64_t from_ns, const uint64_t *bounds)
{
	uint64_t found[2 * DAYS_MAX], best = 0;
	size_t count = list_days(from_ns ? from_ns : bounds[0], day_ns, found);

	if (!from_ns)
		count += list_days(bounds[1], day_ns, found + count);
	for (size_t i = 0; i < count; i++)
		if (from_ns ? found[i] > from_ns && (!best || found[i] < best)
			    : is_nearer(found[i], best, bounds))
			best = found[i];
	return best;
}

static uint64_t place(const struct window_moment *moment, uint64_t from_ns, const uint64_t *bounds)
{
	uint64_t ns = moment->ns;

	switch (moment->base) {
	case WINDOW_OPEN:
		break;
	case WINDOW_START:
		return __builtin_add_overflow(bounds[0], ns, &ns) ? UINT64_MAX : ns;
	case WINDOW_END:
		return bounds[1] > ns ? bounds[1] - ns : 0;
	case WINDOW_CLOCK:
		return ns;
	case WINDOW_DAY:
		return place_day(ns, from_ns, bounds);
	}
	return 0;
}

static void write_clock(uint64_t ns, char *text, size_t bytes)
{
	time_t seconds = (time_t)(ns / SECOND_NS);
	struct tm at;

	text[0] = '\0';
	if (localtime_r(&seconds, &at))
		strftime(text, bytes, "%Y-%m-%dT%H:%M:%S", &at);
}

static int refuse_outside(const uint64_t *bounds, char *line, size_t bytes)
{
	char start[64], end[64];

	write_clock(bounds[0], start, sizeof(start));
	write_clock(bounds[1], end, sizeof(end));
	snprintf(line, bytes,
		 "nothing of the profile lies between --from and --to: it lasted %.3f s, from %s "
		 "to %s",
		 (double)(bounds[1] - bounds[0]) / 1e9, start, end);
	return -ERANGE;
}

/* A damaged spool may have any times. */
static uint64_t sane(uint64_t ns)
{
	return ns < INT64_MAX ? ns : INT64_MAX;
}

int window_place(const struct window *window, uint64_t start_ns, uint64_t end_ns,
		 struct window_span *span, char *line, size_t bytes)
{
	const uint64_t bounds[] = { sane(start_ns), sane(end_ns) };
	uint64_t from = place(&window->from, 0, bounds);
	uint64_t to = place(&window->to, from, bounds);
	bool ends = window->to.base != WINDOW_OPEN;

	if (ends && from >= to && window->from.base != WINDOW_OPEN) {
		snprintf(line, bytes, "--from is not before --to: there is no time between them");
		return -ERANGE;
	}
	if (from > bounds[1] || (ends && to <= bounds[0]))
		return refuse_outside(bounds, line, bytes);
	span->from_ns = from <= bounds[0] ? 0 : from;
	span->to_ns = !ends || to >= bounds[1] ? UINT64_MAX : to;
	return 0;
}
