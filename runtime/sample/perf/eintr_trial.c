/*
 * A kernel that reports release 6.11 or later needs no trial.  The reported release may be too old,
 * under setarch --uname-2.6 or with fixes backported to an older kernel, but not too new.  The
 * event of the trial makes the kernel rewrite its own code, which interrupts all processors.
 *
 * The trial: a read of /dev/zero into fresh pages takes a page fault in the kernel for each page,
 * and checks for signals after each page (drivers/char/mem.c).  With an event on kernel-side faults
 * the read is short if the signal is already pending, and complete if it is not.
 */
#include "runtime/sample/perf/eintr_trial.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>

#include <linux/perf_event.h>

#include "runtime/sample/perf/sigtrap_trial.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#define TRIAL_BYTES (4 * 4096)

static void on_trap(int signal)
{
	(void)signal;
}

/* An event that overflows at each page fault taken in the kernel. */
static int open_faults(void)
{
	struct perf_event_attr attr = {
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.exclude_user = 1,
	};

	return sigtrap_trial_open(&attr);
}

struct reading {
	int zero_fd;
	void *room;
	long bytes; /* returned by the read */
};

/* Leaves `bytes` unchanged if the event does not open. */
static void read_under_event(void *context)
{
	struct reading *reading = context;
	int fd = open_faults();

	if (fd < 0)
		return;
	reading->bytes = sys_read(reading->zero_fd, reading->room, TRIAL_BYTES);
	sys_close(fd);
}

bool eintr_trial(siginfo_sigaction *set_action)
{
	/* without SA_RESTART, so that -EINTR shows too */
	const struct sigaction ours = { .sa_handler = on_trap };
	struct reading reading = { .bytes = TRIAL_BYTES };

	if (proc_kernel_since(6, 11))
		return false;
	reading.zero_fd = sys_open("/dev/zero", O_RDONLY | O_CLOEXEC, 0);
	if (reading.zero_fd < 0)
		return false;
	if (!sys_mmap(&reading.room, TRIAL_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1)) {
		sigtrap_trial_run(set_action, &ours, read_under_event, &reading);
		sys_munmap(reading.room, TRIAL_BYTES);
	}
	sys_close(reading.zero_fd);
	return reading.bytes != TRIAL_BYTES;
}
