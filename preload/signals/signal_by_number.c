/*
 * The kernel's masks have 8 bytes.  The addresses may be bad, so calls of ours try them first, by
 * reading or writing there without a change.
 */
#include "preload/signals/signal_by_number.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "preload/libc/readable.h"
#include "preload/libc/real.h"
#include "preload/signals/disposition.h"
#include "preload/signals/signal_mask.h"
#include "preload/signals/signal_relay.h"
#include "runtime/sample/overflow/syscall_restart.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"

#define MASK_BYTES ((long)sizeof(uint64_t))

long signal_by_number_pass(long number, const long argument[6])
{
	uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	long result;

	do {
		result = real()->syscall(number, argument[0], argument[1], argument[2], argument[3],
					 argument[4], argument[5]);
	} while (result < 0 && errno == EINTR && syscall_restart_is_due(number, argument, frame));
	return result;
}

static void *address(long argument)
{
	return (void *)(uintptr_t)argument; /* NOLINT(performance-no-int-to-ptr) */
}

static bool is_writable(char *to)
{
	return sys_sigmask(SIG_BLOCK, NULL, (void *)to) == 0;
}

/* False if the address is bad or may not be tried. */
static bool fetch(void *to, long argument, size_t bytes)
{
	const void *from = address(argument);

	if (!readable_bytes(from, bytes))
		return false;
	memcpy(to, from, bytes);
	return true;
}

/* Write `bytes`, at least 8 and spanning at most two pages. */
static bool store(long argument, const void *from, size_t bytes)
{
	char *to = address(argument);

	if (!is_writable(to) ||
	    (bytes > sizeof(uint64_t) && !is_writable(to + bytes - sizeof(uint64_t)))) {
		errno = EFAULT;
		return false;
	}
	memcpy(to, from, bytes);
	return true;
}

static bool fetch_mask(sigset_t *set, long argument, long bytes)
{
	sigemptyset(set);
	return argument && bytes == MASK_BYTES && fetch(set, argument, sizeof(uint64_t));
}

static int change_by_number(int how, const sigset_t *set, sigset_t *old)
{
	return (int)real()->syscall(SYS_rt_sigprocmask, (long)how, set, old, MASK_BYTES);
}

static long change_mask(const long argument[6])
{
	sigset_t set, old;

	if (argument[3] != MASK_BYTES ||
	    (argument[1] && !fetch_mask(&set, argument[1], argument[3])))
		return signal_by_number_pass(SYS_rt_sigprocmask, argument);
	if (signal_mask_change(change_by_number, (int)argument[0], argument[1] ? &set : NULL,
			       argument[2] ? &old : NULL))
		return -1;
	return !argument[2] || store(argument[2], &old, sizeof(uint64_t)) ? 0 : -1;
}

static void from_kernel(struct sigaction *action, const struct kernel_action *kernel)
{
	memset(action, 0, sizeof(*action));
	memcpy(&action->sa_handler, &kernel->handler, sizeof(kernel->handler));
	memcpy(&action->sa_restorer, &kernel->restorer, sizeof(kernel->restorer));
	memcpy(&action->sa_mask, &kernel->mask, sizeof(kernel->mask));
	action->sa_flags = (int)kernel->flags;
}

static void to_kernel(struct kernel_action *kernel, const struct sigaction *action)
{
	memcpy(&kernel->handler, &action->sa_handler, sizeof(kernel->handler));
	memcpy(&kernel->restorer, &action->sa_restorer, sizeof(kernel->restorer));
	memcpy(&kernel->mask, &action->sa_mask, sizeof(kernel->mask));
	kernel->flags = (uint32_t)action->sa_flags;
}

long signal_by_number_action(int signal, const struct kernel_action *action,
			     struct kernel_action *old)
{
	return real()->syscall(SYS_rt_sigaction, (long)signal, action, old, MASK_BYTES);
}

static long change_other(const long argument[6], struct kernel_action *kernel)
{
	struct kernel_action old;

	if (argument[1])
		kernel->handler = signal_relay_hide(kernel->handler, kernel->flags, kernel->mask);
	if (signal_by_number_action((int)argument[0], argument[1] ? kernel : NULL, &old))
		return -1;
	old.handler = signal_relay_show(old.handler);
	return !argument[2] || store(argument[2], &old, sizeof(old)) ? 0 : -1;
}

static long change_action(const long argument[6])
{
	struct kernel_action kernel;
	struct sigaction action, old;

	if (argument[3] != MASK_BYTES ||
	    (argument[1] && !fetch(&kernel, argument[1], sizeof(kernel))))
		return signal_by_number_pass(SYS_rt_sigaction, argument);
	if (!disposition_is_ours((int)argument[0]))
		return change_other(argument, &kernel);
	if (argument[1])
		from_kernel(&action, &kernel);
	if (disposition_action(argument[1] ? &action : NULL, &old, true))
		return -1;
	to_kernel(&kernel, &old);
	return !argument[2] || store(argument[2], &kernel, sizeof(kernel)) ? 0 : -1;
}

static int wait_by_number(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	return (int)real()->syscall(SYS_rt_sigtimedwait, set, info, time, MASK_BYTES);
}

static long wait_for(const long argument[6])
{
	struct timespec time;
	siginfo_t info;
	sigset_t set;
	int number;

	if (!fetch_mask(&set, argument[0], argument[3]) ||
	    !(mask_emulation_word(&set) & mask_emulation_bit) ||
	    (argument[2] && !fetch(&time, argument[2], sizeof(time))))
		return signal_by_number_pass(SYS_rt_sigtimedwait, argument);
	number = wait_calls_for(wait_by_number, &set, &info, argument[2] ? &time : NULL);
	if (number < 0 || !argument[1])
		return number;
	return store(argument[1], &info, sizeof(info)) ? number : -1;
}

static long ask_pending(const long argument[6])
{
	long result = signal_by_number_pass(SYS_rt_sigpending, argument);
	uint64_t pending;

	if (result || argument[1] != MASK_BYTES)
		return result;
	if (fetch(&pending, argument[0], sizeof(pending)) && pending & mask_emulation_bit &&
	    signal_mask_drop_ours()) {
		result = signal_by_number_pass(SYS_rt_sigpending, argument);
		signal_mask_dropped();
	}
	signal_mask_heal();
	return result;
}

static long sleep_with(long number, const long argument[6], long mask, long bytes)
{
	sigset_t set;
	long result;
	int saved;

	if (!mask_emulation_is_used() || !fetch_mask(&set, mask, bytes) || !signal_mask_lift(&set))
		return signal_by_number_pass(number, argument);
	result = signal_by_number_pass(number, argument);
	saved = errno;
	signal_mask_lower();
	errno = saved;
	return result;
}

/* The sixth argument points to the mask's address and size (pselect6). */
static long sleep_with_pair(long number, const long argument[6])
{
	long pair[2];

	if (!mask_emulation_is_used() || !argument[5] || !fetch(pair, argument[5], sizeof(pair)))
		return signal_by_number_pass(number, argument);
	return sleep_with(number, argument, pair[0], pair[1]);
}

static long make_file(long number, const long argument[6])
{
	sigset_t set;

	if (fetch_mask(&set, argument[1], argument[2])) {
		signal_mask_meant(&set);
		if (mask_emulation_word(&set) & mask_emulation_bit)
			signal_mask_read_by_file();
	}
	return signal_by_number_pass(number, argument);
}

/* io_uring_enter(2): continues a wait that only our signal interrupted.  It submits nothing again,
 * and the first result stands.  If nothing was submitted, the program must not see EINTR.  Not
 * inlined, because its frame must lie near the call's: take_mark() in syscall_restart.c. */
__attribute__((noinline)) static long enter_ring(const long argument[6])
{
	uint64_t frame = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	long rest[6], first, last;
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

/* A child with a thread pointer of its own, in which no function of libc's may be called. */
static bool is_apart(void)
{
	return !thread_pointer_is_known() && !session_is_here();
}

bool signal_by_number(long number, const long argument[6], long *result)
{
	if (number == SYS_io_uring_enter) {
		*result = enter_ring(argument);
		return true;
	}
	if (!disposition_signal() || sys_is_quiet() || is_apart())
		return false;
	switch (number) {
	case SYS_rt_sigprocmask:
		*result = change_mask(argument);
		break;
	case SYS_rt_sigaction:
		*result = change_action(argument);
		break;
	case SYS_rt_sigtimedwait:
		*result = wait_for(argument);
		break;
	case SYS_rt_sigpending:
		*result = ask_pending(argument);
		break;
	case SYS_rt_sigsuspend:
		*result = sleep_with(number, argument, argument[0], argument[1]);
		break;
	case SYS_ppoll:
		*result = sleep_with(number, argument, argument[3], argument[4]);
		break;
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		*result = sleep_with(number, argument, argument[4], argument[5]);
		break;
	case SYS_pselect6:
		*result = sleep_with_pair(number, argument);
		break;
#ifdef SYS_signalfd
	case SYS_signalfd:
#endif
	case SYS_signalfd4:
		*result = make_file(number, argument);
		break;
	default:
		return false;
	}
	return true;
}
