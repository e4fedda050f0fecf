/*
 * timer_create(2) with SIGEV_THREAD_ID, on the CPU clock of the thread.
 *
 * Each timer takes a place in the queue of signals of the program's user (RLIMIT_SIGPENDING), for
 * as long as it exists.  All timers of a user's processes together leave three quarters of it: no
 * timer is made where a quarter is in use, by whomever.  A process asks for that (proc(5), SigQ)
 * from its 64th part on.
 */
#include "runtime/sample/perf/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* as in timer_create(2); glibc names it so */
#endif

#define SHARE	4
#define UNASKED 64

static _Atomic uint32_t timers; /* of this process */

static bool is_room_for(uint64_t ours)
{
	struct rlimit places;

	if (sys_getrlimit(RLIMIT_SIGPENDING, &places) || places.rlim_cur == RLIM_INFINITY ||
	    ours <= places.rlim_cur / UNASKED)
		return true;
	return ours <= places.rlim_cur / SHARE &&
	       (uint64_t)proc_status_number("SigQ:", INT64_MAX) < places.rlim_cur / SHARE;
}

static int make(int *timer, clockid_t clock, struct sigevent *event)
{
	uint32_t ours = atomic_fetch_add_explicit(&timers, 1, memory_order_relaxed) + 1;
	int err = is_room_for(ours) ? sys_timer_create(clock, event, timer) : -EAGAIN;

	if (!err)
		return 0;
	atomic_fetch_sub_explicit(&timers, 1, memory_order_relaxed);
	*timer = CLOCK_NO_TIMER;
	return err;
}

int clock_open(int *timer, uint64_t *rings_ns, int signal, clockid_t clock, uint64_t first_ns,
	       uint64_t period_ns)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = signal,
		.sigev_notify_thread_id = sys_gettid(),
		.sigev_value.sival_ptr = (void *)SIGINFO_COOKIE, /* NOLINT */
	};
	int err;

	*rings_ns = machine_time_ns(clock) + first_ns;
	*timer = CLOCK_NO_TIMER; /* read after PR_TIMER_CREATE_RESTORE_IDS (Linux 6.15) */
	err = make(timer, clock, &event);
	if (err)
		return err;
	err = sys_timer_start(*timer, first_ns, period_ns);
	if (err)
		clock_close(timer);
	return err;
}

void clock_close(int *timer)
{
	if (*timer != CLOCK_NO_TIMER && !sys_timer_delete(*timer))
		atomic_fetch_sub_explicit(&timers, 1, memory_order_relaxed);
	*timer = CLOCK_NO_TIMER;
}

void clock_forget_all(void)
{
	atomic_store_explicit(&timers, 0, memory_order_relaxed);
}
