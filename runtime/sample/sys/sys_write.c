/*
 * Writing, declared in sys.h, whose rules apply.  A write may send the calling thread a signal: a
 * limit on file sizes SIGXFSZ, a pipe without a reader SIGPIPE, a terminal in the foreground of
 * another job SIGTTOU.  Without us there would be none.  So all signals are blocked meanwhile; the
 * first two, which the kernel sends to the thread, are taken back, and the third is not sent to a
 * thread that blocks it.
 */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/sys_make.h"

#define PATIENCE_MS 100 /* for a full pipe, socket or terminal */

static uint64_t bit(int signal)
{
	return 1ULL << (signal - 1);
}

static bool is_pending(int signal)
{
	uint64_t pending = 0;

	return !sys_sigpending(&pending) && pending & bit(signal);
}

/* Of two signals that are pending, the thread's own is taken first.  The kernel keeps one of each
 * number: if none is left and one was pending `before`, ours was never added to the program's. */
static void take_back(int signal, bool before)
{
	siginfo_t info;

	if (sys_sigtimedwait(bit(signal), &info) == signal && before && !is_pending(signal))
		sys_sigqueue_thread(sys_getpid(), sys_gettid(), signal, &info);
}

static bool has_room(int fd)
{
	short ready = sys_poll(fd, POLLOUT, PATIENCE_MS);

	return ready > 0 && ready & POLLOUT && !(ready & (POLLERR | POLLHUP));
}

long sys_write(int fd, const void *bytes, size_t size)
{
	uint64_t mask = sys_signals_block();
	bool pipe = mask & bit(SIGPIPE) && is_pending(SIGPIPE);
	bool limit = mask & bit(SIGXFSZ) && is_pending(SIGXFSZ);
	long written = has_room(fd) ? CALL(SYS_write, fd, bytes, size) : -EAGAIN;

	if (written == -EPIPE)
		take_back(SIGPIPE, pipe);
	if (written == -EFBIG)
		take_back(SIGXFSZ, limit);
	sys_signals_restore(mask);
	return written;
}
