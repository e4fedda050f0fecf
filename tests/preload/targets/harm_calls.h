/*
 * The calls of signal(7) that EINTR can end, each as a function without parameters; harm_eintr.c
 * calls them.  A span of SHORT_NS means that no signal comes: the calls end by themselves.
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

static struct timespec span(void)
{
	return (struct timespec){ span_ns / 1000000000, span_ns % 1000000000 };
}

static struct timespec until(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	now.tv_sec += span_ns / 1000000000;
	now.tv_nsec += span_ns % 1000000000;
	now.tv_sec += now.tv_nsec / 1000000000;
	now.tv_nsec %= 1000000000;
	return now;
}

static int milliseconds(void)
{
	return span_ns < 1000000 ? 1 : (int)(span_ns / 1000000);
}

static void limit(int fd, int option)
{
	struct timeval value = { span_ns / 1000000000, span_ns % 1000000000 / 1000 };

	setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value));
}

static long by_error(int err)
{
	errno = err;
	return err ? -1 : 0;
}

static struct pollfd waiting(void)
{
	return (struct pollfd){ .fd = pair[0], .events = POLLIN };
}

static long call_nanosleep(void)
{
	struct timespec time = span();

	return nanosleep(&time, NULL);
}

static long call_clock_nanosleep(void)
{
	struct timespec time = span();

	return by_error(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL));
}

static long call_clock_nanosleep_until(void)
{
	struct timespec time = until(CLOCK_REALTIME);

	return by_error(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL));
}

static long call_usleep(void)
{
	return usleep((useconds_t)(span_ns / 1000 > 999999 ? 999999 : span_ns / 1000));
}

static long call_sleep(void)
{
	return by_error(sleep(span_ns > 1000000000 ? 20 : 0) ? EINTR : 0);
}

static long call_poll(void)
{
	struct pollfd wait = waiting();

	return poll(&wait, 1, milliseconds());
}

static long call_ppoll(void)
{
	struct pollfd wait = waiting();
	struct timespec time = span();

	return ppoll(&wait, 1, &time, NULL);
}

static long call_ppoll_masked(void)
{
	struct pollfd wait = waiting();
	struct timespec time = span();
	sigset_t mask;

	sigfillset(&mask);
	sigdelset(&mask, SIGALRM);
	return ppoll(&wait, 1, &time, &mask);
}

static long call_select(void)
{
	struct timeval time = { span_ns / 1000000000, span_ns % 1000000000 / 1000 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(pair[0], &set);
	return select(pair[0] + 1, &set, NULL, NULL, &time);
}

static long call_pselect(void)
{
	struct timespec time = span();
	sigset_t mask;
	fd_set set;

	sigfillset(&mask);
	sigdelset(&mask, SIGALRM);
	FD_ZERO(&set);
	FD_SET(pair[0], &set);
	return pselect(pair[0] + 1, &set, NULL, NULL, &time, &mask);
}

static long call_epoll_wait(void)
{
	struct epoll_event event;

	return epoll_wait(poller, &event, 1, milliseconds());
}

static long call_epoll_pwait(void)
{
	struct epoll_event event;
	sigset_t mask;

	sigfillset(&mask);
	sigdelset(&mask, SIGALRM);
	return epoll_pwait(poller, &event, 1, milliseconds(), &mask);
}

/* What waits for a signal is woken by another one, from a thread or timer of its own. */
static timer_t waker;

static void wake_later(void)
{
	struct itimerspec spec = { .it_value = span() };

	if (span_ns == SHORT_NS)
		timer_settime(waker, 0, &spec, NULL);
}

static long call_sigtimedwait(void)
{
	struct timespec time = span();
	sigset_t set;

	sigfillset(&set);
	sigdelset(&set, SIGALRM);
	return sigtimedwait(&set, NULL, &time);
}

static long call_sigwaitinfo(void)
{
	sigset_t set;
	long got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTRAP);
	wake_later();
	got = sigwaitinfo(&set, NULL);
	return got == SIGTRAP ? by_error(EINTR) : got;
}

static long call_semop(void)
{
	struct sembuf down = { .sem_op = -1, .sem_flg = 0 };
	struct timespec time = span();

	return span_ns == SHORT_NS ? semtimedop(semaphores, &down, 1, &time)
				   : semop(semaphores, &down, 1);
}

static long call_semtimedop(void)
{
	struct sembuf down = { .sem_op = -1 };
	struct timespec time = span();

	return semtimedop(semaphores, &down, 1, &time);
}

/* The kernel has no time-out for these: in the quiet column the message is there. */
static long call_msgrcv(void)
{
	struct {
		long type;
		char text[8];
	} message = { .type = 1 };

	if (span_ns == SHORT_NS)
		msgsnd(queue, &message, 8, 0);
	return msgrcv(queue, &message, 8, 0, 0);
}

static long call_msgsnd(void)
{
	struct {
		long type;
		char text[4096];
	} message = { .type = 1 };
	long result;

	if (span_ns != SHORT_NS)
		return msgsnd(full_queue, &message, sizeof(message.text), 0);
	result = msgsnd(queue, &message, 8, 0);
	msgrcv(queue, &message, 8, 0, 0);
	return result;
}

static long call_accept(void)
{
	limit(listener, SO_RCVTIMEO);
	return accept(listener, NULL, NULL);
}

static long call_recv(void)
{
	char byte;

	limit(pair[0], SO_RCVTIMEO);
	return recv(pair[0], &byte, 1, 0);
}

static long call_recvfrom(void)
{
	char byte;

	limit(pair[0], SO_RCVTIMEO);
	return recvfrom(pair[0], &byte, 1, 0, NULL, NULL);
}

static long call_recvmsg(void)
{
	char byte;
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	limit(pair[0], SO_RCVTIMEO);
	return recvmsg(pair[0], &message, 0);
}

static long call_recvmmsg(void)
{
	char byte;
	struct iovec part = { &byte, 1 };
	struct mmsghdr message = { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } };

	limit(pair[0], SO_RCVTIMEO);
	return recvmmsg(pair[0], &message, 1, 0, NULL);
}

static long call_send(void)
{
	char byte = 0;

	limit(full[0], SO_SNDTIMEO);
	return send(full[0], &byte, 1, 0);
}

static long call_sendmsg(void)
{
	char byte = 0;
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	limit(full[0], SO_SNDTIMEO);
	return sendmsg(full[0], &message, 0);
}

static long call_io_getevents(void)
{
	struct timespec time = span();
	struct io_event event;

	return syscall(SYS_io_getevents, aio, 1, 1, &event, &time);
}

static long call_sem_timedwait(void)
{
	struct timespec time = until(CLOCK_REALTIME);

	return sem_timedwait(&semaphore, &time);
}

static long call_futex(void)
{
	struct timespec time = span();
	uint32_t word = 0;

	return syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, &time);
}

static long call_pause(void)
{
	wake_later();
	return span_ns == SHORT_NS ? 0 : pause();
}

static long call_sigsuspend(void)
{
	sigset_t mask;

	sigfillset(&mask);
	sigdelset(&mask, SIGALRM);
	return span_ns == SHORT_NS ? 0 : sigsuspend(&mask);
}

static long call_read_inotify(void)
{
	char bytes[256];

	return span_ns == SHORT_NS ? 0 : read(watcher, bytes, sizeof(bytes));
}

#endif
