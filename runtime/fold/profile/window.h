/*
 * A part of the time of a profile, as a user names it: `--from T --to T`.
 */
#ifndef RUNTIME_FOLD_PROFILE_WINDOW_H
#define RUNTIME_FOLD_PROFILE_WINDOW_H

#include <stdint.h>

enum window_base {
	WINDOW_OPEN,  /* no bound */
	WINDOW_START, /* ns after the start of the profile */
	WINDOW_END,   /* ns before its end */
	WINDOW_CLOCK, /* ns of CLOCK_REALTIME */
	WINDOW_DAY,   /* ns after midnight, local time, of a day in the profile */
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

#endif
