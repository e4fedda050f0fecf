/*
 * A wait that continues submits nothing again, and the first result stands.  If nothing was
 * submitted, the program must not see EINTR.
 */
#include "preload/signals/ring_calls.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "preload/signals/signal_by_number.h"
#include "runtime/sample/syscall_restart.h"

#define ARGUMENTS 6

long ring_calls_enter(const long argument[ARGUMENTS])
{
	uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	long rest[ARGUMENTS], first, last;
	int saved;

	memcpy(rest, argument, sizeof(rest));
	syscall_restart_ring_begin();
	saved = errno;
	first = last = signal_by_number_pass(SYS_io_uring_enter, rest);
	while (syscall_restart_ring_was_cut(frame, last, rest)) {
		if (last > 0)
			rest[1] = 0;
		errno = saved;
		last = signal_by_number_pass(SYS_io_uring_enter, rest);
		if (first < 0)
			first = last;
	}
	if (first >= 0)
		errno = saved;
	return first;
}
