/*
 * The calls of signal(7) that EINTR can end, each as a row; harm_eintr.c calls them.  A span of
 * SHORT_NS means that no signal comes: the calls end by themselves.
 */
#ifndef TARGETS_HARM_CALLS_H
#define TARGETS_HARM_CALLS_H

#include <linux/aio_abi.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "tests/preload/targets/target.h"

#define LONG_NS	 20000000000L
#define SHORT_NS 300000L

static int pair[2], full[2], listener, poller, watcher, semaphores, queue, full_queue;
static aio_context_t aio;
static sem_t semaphore;
static long span_ns;

enum as {
	FREE,
	BOUNDED,       /* lasts its time-out when nothing comes */
	RESTARTED = 2, /* by SA_RESTART: then it goes on until its end, and is not asked */
};

/* The linker gathers the rows between __start_calls and __stop_calls. */
struct call {
	const char *name;
	long (*call)(void);
	unsigned as;
};
extern const struct call __start_calls[], __stop_calls[];

#define CALL(of, how, ...)                     \
	static long call_##of(void)            \
	{                                      \
		__VA_ARGS__;                   \
	}                                      \
	__attribute__((section("calls"), used, \
		       aligned(8))) static const struct call row_##of = { #of, call_##of, how };
#define GIVES(of, how, ...) CALL(of, how, return (long)(__VA_ARGS__))

static struct timespec *span(void)
{
	static struct timespec time; /* one call at a time */

	time = (struct timespec){ span_ns / 1000000000, span_ns % 1000000000 };
	return &time;
}

static struct timespec *until(clockid_t clock)
{
	struct timespec now, *time = span();

	clock_gettime(clock, &now);
	time->tv_sec += now.tv_sec;
	time->tv_nsec += now.tv_nsec;
	time->tv_sec += time->tv_nsec / 1000000000;
	time->tv_nsec %= 1000000000;
	return time;
}

static struct timeval *span_us(void)
{
	static struct timeval time;

	time = (struct timeval){ span_ns / 1000000000, span_ns % 1000000000 / 1000 };
	return &time;
}

static int milliseconds(void)
{
	return span_ns < 1000000 ? 1 : (int)(span_ns / 1000000);
}

static int limited(int fd, int option)
{
	setsockopt(fd, SOL_SOCKET, option, span_us(), sizeof(struct timeval));
	return fd;
}

static int silent(void)
{
	return limited(pair[0], SO_RCVTIMEO);
}

static int choked(void)
{
	return limited(full[0], SO_SNDTIMEO);
}

static long by_error(int err)
{
	errno = err;
	return err ? -1 : 0;
}

static struct pollfd *waiting(void)
{
	static struct pollfd wait = { .events = POLLIN };

	wait.fd = pair[0];
	return &wait;
}

static fd_set *readable(void)
{
	static fd_set set;

	FD_ZERO(&set);
	FD_SET(pair[0], &set);
	return &set;
}

static sigset_t *all_but_the_alarm(void)
{
	static sigset_t set;

	sigfillset(&set);
	sigdelset(&set, SIGALRM);
	return &set;
}

static struct msghdr *one_byte(void)
{
	static char byte;
	static struct iovec part = { &byte, 1 };
	static struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	return &message;
}

/* What waits for a signal is woken by another one, from a thread or timer of its own. */
static timer_t waker;

static void wake_later(void)
{
	struct itimerspec spec = { .it_value = *span() };

	if (span_ns == SHORT_NS)
		timer_settime(waker, 0, &spec, NULL);
}

static char some[256];
static struct epoll_event event;
static struct sembuf down = { .sem_op = -1 };
static struct {
	long type;
	char text[4096];
} message = { .type = 1 };

GIVES(nanosleep, BOUNDED, nanosleep(span(), NULL))
GIVES(clock_nanosleep, BOUNDED, by_error(clock_nanosleep(CLOCK_MONOTONIC, 0, span(), NULL)))
GIVES(clock_nanosleep_until, FREE,
      by_error(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, until(CLOCK_REALTIME), NULL)))
GIVES(usleep, BOUNDED, usleep((useconds_t)(span_ns / 1000 > 999999 ? 999999 : span_ns / 1000)))
GIVES(sleep, FREE, by_error(sleep(span_ns > 1000000000 ? 20 : 0) ? EINTR : 0))
GIVES(poll, BOUNDED, poll(waiting(), 1, milliseconds()))
GIVES(ppoll, BOUNDED, ppoll(waiting(), 1, span(), NULL))
GIVES(ppoll_masked, BOUNDED, ppoll(waiting(), 1, span(), all_but_the_alarm()))
GIVES(select, BOUNDED, select(pair[0] + 1, readable(), NULL, NULL, span_us()))
GIVES(pselect, BOUNDED, pselect(pair[0] + 1, readable(), NULL, NULL, span(), all_but_the_alarm()))
GIVES(epoll_wait, BOUNDED, epoll_wait(poller, &event, 1, milliseconds()))
GIVES(epoll_pwait, BOUNDED, epoll_pwait(poller, &event, 1, milliseconds(), all_but_the_alarm()))
GIVES(sigtimedwait, BOUNDED, sigtimedwait(all_but_the_alarm(), NULL, span()))
CALL(sigwaitinfo, FREE, sigset_t set; long got; sigemptyset(&set); sigaddset(&set, SIGUSR1);
     sigaddset(&set, SIGTRAP); wake_later(); got = sigwaitinfo(&set, NULL);
     return got == SIGTRAP ? by_error(EINTR) : got)
GIVES(semop, BOUNDED,
      span_ns == SHORT_NS ? semtimedop(semaphores, &down, 1, span()) : semop(semaphores, &down, 1))
GIVES(semtimedop, BOUNDED, semtimedop(semaphores, &down, 1, span()))
/* The kernel has no time-out for these: in the quiet column the message is there. */
CALL(msgrcv, FREE, if (span_ns == SHORT_NS) msgsnd(queue, &message, 8, 0);
     return msgrcv(queue, &message, 8, 0, 0))
CALL(msgsnd, FREE, long result;
     if (span_ns != SHORT_NS) return msgsnd(full_queue, &message, sizeof(message.text), 0);
     result = msgsnd(queue, &message, 8, 0); msgrcv(queue, &message, 8, 0, 0); return result)
GIVES(accept, FREE, accept(limited(listener, SO_RCVTIMEO), NULL, NULL))
GIVES(recv, FREE, recv(silent(), some, 1, 0))
GIVES(recvfrom, FREE, recvfrom(silent(), some, 1, 0, NULL, NULL))
GIVES(recvmsg, FREE, recvmsg(silent(), one_byte(), 0))
CALL(recvmmsg, FREE, struct mmsghdr messages = { .msg_hdr = *one_byte() };
     return recvmmsg(silent(), &messages, 1, 0, NULL))
GIVES(send, FREE, send(choked(), some, 1, 0))
GIVES(sendmsg, FREE, sendmsg(choked(), one_byte(), 0))
CALL(io_getevents, BOUNDED, struct io_event done;
     return syscall(SYS_io_getevents, aio, 1, 1, &done, span()))
GIVES(sem_timedwait, RESTARTED, sem_timedwait(&semaphore, until(CLOCK_REALTIME)))
CALL(futex, BOUNDED | RESTARTED, uint32_t word = 0;
     return syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, span()))
CALL(pause, FREE, wake_later(); return span_ns == SHORT_NS ? 0 : pause())
GIVES(sigsuspend, FREE, span_ns == SHORT_NS ? 0 : sigsuspend(all_but_the_alarm()))
GIVES(read_inotify, RESTARTED, span_ns == SHORT_NS ? 0 : read(watcher, some, sizeof(some)))

#endif
