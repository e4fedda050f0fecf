/*
 * A kernel that says it is 6.11 or later need not be tried: what it says may be too old, as under
 * setarch --uname-2.6 or with fixes taken back into an older one, but not too new.  The event of
 * the trial makes the kernel rewrite its own code, which interrupts all processors.
 *
 * The trial: a read of /dev/zero into fresh pages takes a page fault in the kernel for each of
 * them, and looks for signals after each page (drivers/char/mem.c): with an event on kernel-side
 * faults it is short where the signal is already pending, and whole where it is not.
 */
#include "runtime/sample/perf/disturb.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/perf_event.h>

#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#define TRIAL_BYTES (4 * 4096)
#define TRAP_BIT    (1ULL << (SIGTRAP - 1))

static void on_trap(int signal)
{
	(void)signal;
}

/* An event that overflows at each page fault taken in the kernel. */
static int open_faults(void)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.sample_period = 1;
	attr.exclude_user = 1;
	attr.sigtrap = attr.remove_on_exec = 1;
	attr.sig_data = SIGINFO_COOKIE;
	return sys_perf_event_open(&attr, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Bytes read under the event; TRIAL_BYTES if it does not open. */
static long read_under_event(int zero_fd, void *room)
{
	int fd = open_faults();
	long bytes;

	if (fd < 0)
		return TRIAL_BYTES;
	bytes = sys_read(zero_fd, room, TRIAL_BYTES);
	sys_close(fd);
	return bytes;
}

static long read_with_handler(siginfo_sigaction *set_action, int zero_fd, void *room)
{
	struct sigaction ours = { .sa_handler =
					  on_trap }; /* without SA_RESTART: -EINTR tells too */
	struct sigaction theirs;
	uint64_t trap = TRAP_BIT;
	uint64_t mask;
	long bytes;

	if (set_action(SIGTRAP, &ours, &theirs))
		return TRIAL_BYTES;
	sys_sigmask(SIG_UNBLOCK, &trap, &mask);
	bytes = read_under_event(zero_fd, room);
	sys_sigmask(SIG_SETMASK, &mask, NULL);
	set_action(SIGTRAP, &theirs, NULL);
	return bytes;
}

bool disturb_calls(siginfo_sigaction *set_action)
{
	long bytes = TRIAL_BYTES;
	void *room;
	int zero_fd;

	if (proc_kernel_since(6, 11))
		return false;
	zero_fd = sys_open("/dev/zero", O_RDONLY | O_CLOEXEC, 0);
	if (zero_fd < 0)
		return false;
	if (!sys_mmap(&room, TRIAL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1)) {
		bytes = read_with_handler(set_action, zero_fd, room);
		sys_munmap(room, TRIAL_BYTES);
	}
	sys_close(zero_fd);
	return bytes != TRIAL_BYTES;
}
