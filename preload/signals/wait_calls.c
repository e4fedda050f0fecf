/*
 * Calls that wait for signals, or sleep with another mask.  While the block of our signal is
 * emulated (see signal_mask.h), a sleep that unblocks it runs with the target's real mask.  If our
 * signal is not involved, each function is a jump to the real one.  All remain cancellation points.
 */
#include "preload/signals/signal_mask.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>

#include "preload/signals/disposition.h"
#include "preload/libc/real.h"
#include "preload/libc/readable.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/life/thread_life.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"

void signal_mask_meant(const sigset_t *set)
{
	if (!mask_emulation_bit || !readable_bytes(set, sizeof(uint64_t)) ||
	    !(mask_emulation_word(set) & mask_emulation_bit) ||
	    mask_emulation_is_nearly_all(mask_emulation_word(set)) || !session_is_here())
		return;
	mask_emulation_use();
	atomic_store_explicit(&mask_emulation_meant, 1, memory_order_relaxed);
	if (mask_emulation_is_on())
		mask_emulation_block();
}

void signal_mask_read_by_file(void)
{
	if (mask_emulation_is_used() && thread_pointer_is_known() && !mask_state.shut &&
	    sharing_is_here() && mask_emulation_mask() & mask_emulation_bit)
		mask_emulation_block();
}

/* Without emulation, the kernel may have blocked our signal for a handler of another signal.  One
 * of our own signals may then be pending. */
static bool lift_in_handler(const sigset_t *set)
{
	if (mask_state.shut || !mask_emulation_is_used() || !sharing_is_here() ||
	    !readable_bytes(set, sizeof(uint64_t)) ||
	    mask_emulation_word(set) & mask_emulation_bit ||
	    !(mask_emulation_mask() & mask_emulation_bit))
		return false;
	mask_state.by_handler = true;
	mask_emulation_shut_briefly();
	thread_drop_queued();
	return true;
}

bool signal_mask_lift(const sigset_t *set)
{
	if (!mask_emulation_bit || !set || !thread_pointer_is_known())
		return false;
	if (!mask_state.emulation || !mask_emulation_is_on())
		return lift_in_handler(set);
	if (!readable_bytes(set, sizeof(uint64_t)) || !session_is_here())
		return false;
	mask_state.by_handler = false;
	mask_emulation_lift();
	return true;
}

static void heal(void)
{
	uint64_t mask = mask_emulation_mask();

	if (!(mask & mask_emulation_bit))
		mask_emulation_open();
	else if (mask_emulation_is_nearly_all(mask) && !mask_emulation_is_meant() &&
		 !mask_emulation_is_pending())
		mask_emulation_begin(MASK_EMULATION_NEARLY_ALL);
	else if (!mask_state.shut)
		mask_emulation_block();
}

void signal_mask_lower(void)
{
	if (!session_is_here())
		return;
	if (mask_state.by_handler)
		mask_emulation_open();
	else
		heal(); /* a handler may have changed anything meanwhile */
	mask_state.by_handler = false;
}

void signal_mask_heal(void)
{
	if (mask_state.shut && session_is_here())
		heal();
}

void signal_mask_jump(void)
{
	if (mask_state.lifted_ns && session_is_here())
		heal();
}

bool signal_mask_drop_ours(void)
{
	if (mask_state.shut || !thread_self || !session_is_here() ||
	    !(mask_emulation_mask() & mask_emulation_bit))
		return false;
	thread_pause();
	thread_drop_queued();
	return true;
}

void signal_mask_dropped(void)
{
	thread_resume();
}

#define NS_PER_S 1000000000LL

/* Exported by glibc, but declared in no header or under other names. */
int __sigpause(int number_or_mask, int is_number);
int __xpg_sigpause(int number);
int sigpause_by_mask(int mask) __asm__("sigpause");
int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *time,
		const sigset_t *mask, size_t room);

static bool concerns_us(const sigset_t *set)
{
	return disposition_signal() && readable_bytes(set, sizeof(uint64_t)) &&
	       sigismember(set, disposition_signal()) > 0;
}

/* True if `given` is NULL or readable.  The kernel reports any other bad address to the program. */
static bool is_there(const void *given, size_t bytes)
{
	return !given || readable_bytes(given, bytes);
}

static struct timespec left_until(int64_t end_ns)
{
	int64_t left_ns = end_ns - (int64_t)machine_time_now_ns();

	if (left_ns < 0)
		left_ns = 0;
	return (struct timespec){ left_ns / NS_PER_S, left_ns % NS_PER_S };
}

static int wait_really(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	if (!time)
		return real()->sigwaitinfo(set, info);
	return real()->sigtimedwait(set, info, time);
}

/* A handler of another signal that blocks ours may have one of our own pending.  It is dropped;
 * its record is in the ring. */
int wait_calls_for(wait_calls_wait wait, const sigset_t *set, siginfo_t *info,
		   const struct timespec *time)
{
	int64_t end_ns = INT64_MAX;
	struct timespec left;
	siginfo_t taken;
	int number;

	signal_mask_meant(set);
	if (time && !__builtin_mul_overflow(time->tv_sec, NS_PER_S, &end_ns))
		__builtin_add_overflow(end_ns, (int64_t)machine_time_now_ns() + time->tv_nsec,
				       &end_ns);
	do {
		number = wait(set, &taken, time);
		if (!disposition_is_ours(number) || !siginfo_is_ours(&taken))
			break;
		left = left_until(end_ns);
		if (time)
			time = &left;
	} while (true);
	if (number >= 0) {
		if (disposition_is_ours(number))
			thread_info_of(&taken);
		if (info)
			*info = taken;
		signal_mask_heal();
	}
	return number;
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	if (!concerns_us(set) || !is_there(info, sizeof(*info)) || !is_there(time, sizeof(*time)))
		return real()->sigtimedwait(set, info, time);
	return wait_calls_for(wait_really, set, info, time);
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	if (!concerns_us(set) || !is_there(info, sizeof(*info)))
		return real()->sigwaitinfo(set, info);
	return wait_calls_for(wait_really, set, info, NULL);
}

int sigwait(const sigset_t *set, int *number)
{
	int saved = errno, taken;

	if (!concerns_us(set))
		return real()->sigwait(set, number);
	do {
		taken = wait_calls_for(wait_really, set, NULL, NULL);
	} while (taken < 0 && errno == EINTR);
	if (taken < 0)
		return errno;
	errno = saved;
	*number = taken;
	return 0;
}

int signalfd(int fd, const sigset_t *set, int flags)
{
	signal_mask_meant(set);
	if (concerns_us(set))
		signal_mask_read_by_file();
	return real()->signalfd(fd, set, flags);
}

int sigpending(sigset_t *set)
{
	int result = real()->sigpending(set);

	if (!result && concerns_us(set) && signal_mask_drop_ours()) {
		result = real()->sigpending(set);
		signal_mask_dropped();
	}
	if (!result)
		signal_mask_heal();
	return result;
}

/* The mask is a BSD mask of signals, or opens one signal (X/Open). */
static bool lift_for(int number_or_mask, bool is_number)
{
	sigset_t mask;

	if (is_number && !disposition_is_ours(number_or_mask))
		return false;
	signal_mask_of_bsd(is_number ? 0 : number_or_mask, &mask);
	return signal_mask_lift(&mask);
}

static int lower_after(bool lifted, int result)
{
	if (lifted)
		signal_mask_lower();
	return result;
}

int __sigpause(int number_or_mask, int is_number)
{
	bool lifted = lift_for(number_or_mask, is_number != 0);

	return lower_after(lifted, real()->__sigpause(number_or_mask, is_number));
}

int __xpg_sigpause(int number)
{
	bool lifted = lift_for(number, true);

	return lower_after(lifted, real()->__xpg_sigpause(number));
}

int sigpause_by_mask(int mask)
{
	bool lifted = lift_for(mask, false);

	return lower_after(lifted, real()->sigpause(mask));
}

/* Each sleeps with the mask `mask`. */
#define DEFINE_SLEEP(name, parameters, arguments)      \
	int name parameters                            \
	{                                              \
		int result;                            \
                                                       \
		if (!signal_mask_lift(mask))           \
			return real()->name arguments; \
		result = real()->name arguments;       \
		signal_mask_lower();                   \
		return result;                         \
	}

DEFINE_SLEEP(sigsuspend, (const sigset_t *mask), (mask))
DEFINE_SLEEP(pselect,
	     (int count, fd_set *in, fd_set *out, fd_set *errors, const struct timespec *time,
	      const sigset_t *mask),
	     (count, in, out, errors, time, mask))
DEFINE_SLEEP(ppoll,
	     (struct pollfd * files, nfds_t count, const struct timespec *time,
	      const sigset_t *mask),
	     (files, count, time, mask))
DEFINE_SLEEP(__ppoll_chk,
	     (struct pollfd * files, nfds_t count, const struct timespec *time,
	      const sigset_t *mask, size_t room),
	     (files, count, time, mask, room))
DEFINE_SLEEP(epoll_pwait,
	     (int fd, struct epoll_event *events, int count, int time_ms, const sigset_t *mask),
	     (fd, events, count, time_ms, mask))
DEFINE_SLEEP(epoll_pwait2,
	     (int fd, struct epoll_event *events, int count, const struct timespec *time,
	      const sigset_t *mask),
	     (fd, events, count, time, mask))
