/* timer_create(2) with SIGEV_THREAD_ID, on the CPU clock of the thread. */
#include "runtime/sample/perf/clock.h"

#include <signal.h>

#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/sys/sys.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* as in timer_create(2); glibc names it so */
#endif

int clock_open(int *timer, int signal, clockid_t clock, uint64_t period_ns)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = signal,
		.sigev_notify_thread_id = sys_gettid(),
		.sigev_value.sival_ptr = (void *)SIGINFO_COOKIE, /* NOLINT */
	};
	int err;

	*timer = CLOCK_NO_TIMER; /* read after PR_TIMER_CREATE_RESTORE_IDS (Linux 6.15) */
	err = sys_timer_create(clock, &event, timer);
	if (err) {
		*timer = CLOCK_NO_TIMER;
		return err;
	}
	err = sys_timer_start(*timer, period_ns);
	if (err)
		clock_close(timer);
	return err;
}

void clock_close(int *timer)
{
	if (*timer != CLOCK_NO_TIMER)
		sys_timer_delete(*timer);
	*timer = CLOCK_NO_TIMER;
}
