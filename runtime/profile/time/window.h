/* A part of the time of a profile, as a user names it: `--from T --to T`. */
#ifndef RUNTIME_PROFILE_TIME_WINDOW_H
#define RUNTIME_PROFILE_TIME_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum window_base {
	WINDOW_OPEN,  /* no bound */
	WINDOW_START, /* ns after the start of the profile */
	WINDOW_END,   /* ns before its end */
	WINDOW_CLOCK, /* ns of CLOCK_REALTIME */
	WINDOW_DAY,   /* ns after midnight, local time, of a day of the profile */
};

struct window_moment {
	enum window_base base;
	uint64_t ns;
};

/* The moments from `from` up to but not including `to`. */
struct window {
	struct window_moment from;
	struct window_moment to;
};

/* The same as CLOCK_REALTIME; 0 and UINT64_MAX where there is no bound. */
struct window_span {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* Parse a moment: a duration since the start, one before the end (-5s), or a time of day with or
 * without a date.  Times without a zone are local, and of the hour that a clock shows twice they
 * mean the first.  Returns 0, or -EINVAL with `line` filled.  `name` is that of the option. */
int window_parse(const char *name, const char *text, struct window_moment *moment, char *line,
		 size_t bytes);

/* Returns whether a window has a bound. */
bool window_is_set(const struct window *window);

/* Place a window in a profile that lasted from start_ns to end_ns, CLOCK_REALTIME.  A time of day
 * is the last one in the profile, or else the nearest; as `to`, it is the first one after `from`. A
 * bound at the profile's own start or end, or outside, is none.  Returns 0; or -ERANGE with `line`
 * filled if the window is empty, or holds nothing of the profile. */
int window_place(const struct window *window, uint64_t start_ns, uint64_t end_ns,
		 struct window_span *span, char *line, size_t bytes);

#endif
