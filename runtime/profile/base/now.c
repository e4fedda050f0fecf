/*
 * clock_gettime(2) returns times of the caller's time namespace.  /proc/self/timens_offsets has the
 * difference to the machine's time.
 */
#include "runtime/profile/base/now.h"

#include <time.h>

#include "runtime/profile/base/user_file.h"
#include "runtime/spool/clock_offset.h"

static uint64_t read_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t without_offset_ns(clockid_t clock, const char *name)
{
	uint64_t now_ns = read_ns(clock);
	char text[256];

	user_file_text(CLOCK_OFFSET_FILE, text, sizeof(text));
	return now_ns ? now_ns - (uint64_t)clock_offset_ns(text, name) : 0;
}

uint64_t now_monotonic_ns(void)
{
	return without_offset_ns(CLOCK_MONOTONIC, "monotonic");
}

uint64_t now_boottime_ns(void)
{
	return without_offset_ns(CLOCK_BOOTTIME, "boottime");
}

uint64_t now_realtime_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}
