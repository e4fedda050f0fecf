/*
 * Other senders of a signal, and the information that comes with it: the ends of timers, of input
 * and of messages, of processes and of parents; by numbers of processes, groups and threads.  Each
 * is seen by a handler, by a wait, and by a program that ignores the signal or has it blocked.
 *   trap_events SIGNAL
 */
#include <aio.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <mqueue.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tests/preload/targets/trap_probe.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static struct sigevent notice(int how)
{
	return (struct sigevent){ .sigev_notify = how,
				  .sigev_signo = number,
				  .sigev_value.sival_int = 11 };
}

/* Until it has run out; it stays, for with it would go its signal. */
static void run_timer(clockid_t clock, struct sigevent *event)
{
	struct itimerspec once = { .it_value = { 0, 1000000 } }, left;
	timer_t timer;

	timer_create(clock, event, &timer);
	timer_settime(timer, 0, &once, NULL);
	do {
		WORK(1000);
		timer_gettime(timer, &left);
	} while (left.it_value.tv_nsec);
	WORK(PROBE_WORK);
}

static void by_timer_signal(void)
{
	struct sigevent event = notice(SIGEV_SIGNAL);

	run_timer(CLOCK_MONOTONIC, &event);
}

static void by_timer_of_thread(void)
{
	struct sigevent event = notice(SIGEV_THREAD_ID);

	event._sigev_un._tid = gettid();
	run_timer(CLOCK_REALTIME, &event);
}

static void by_timer_of_cpu(void)
{
	struct sigevent event = notice(SIGEV_SIGNAL);

	run_timer(CLOCK_PROCESS_CPUTIME_ID, &event);
}

static volatile sig_atomic_t noticed, noticed_blocked;

static void in_notice(union sigval value)
{
	noticed_blocked = is_blocked();
	noticed = value.sival_int;
}

static void say_noticed(void)
{
	for (int i = 0; i < 2000 && !noticed; i++)
		usleep(1000);
	printf(" noticed %d, blocked %d", (int)noticed, (int)noticed_blocked);
}

static void by_timer_s_function(void)
{
	struct sigevent event = notice(SIGEV_THREAD);

	event.sigev_notify_function = in_notice;
	run_timer(CLOCK_MONOTONIC, &event);
	say_noticed();
}

static void send_message(struct sigevent *event)
{
	struct mq_attr room = { .mq_maxmsg = 2, .mq_msgsize = 8 };
	char name[64];
	mqd_t queue;

	snprintf(name, sizeof(name), "/trap_events.%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &room);
	mq_unlink(name);
	printf(" %d", mq_notify(queue, event));
	printf(" %d", mq_send(queue, "x", 1, 0));
	usleep(1000);
	mq_close(queue);
}

static void by_message(void)
{
	struct sigevent event = notice(SIGEV_SIGNAL);

	send_message(&event);
}

static void by_message_s_function(void)
{
	struct sigevent event = notice(SIGEV_THREAD);

	event.sigev_notify_function = in_notice;
	send_message(&event);
	say_noticed();
}

static void read_behind(int how)
{
	static char byte;
	struct aiocb request = { .aio_nbytes = 1, .aio_buf = &byte, .aio_sigevent = notice(how) };
	int pair[2];

	if (pipe(pair))
		return;
	request.aio_fildes = pair[0];
	request.aio_sigevent.sigev_notify_function = in_notice;
	printf(" %d", aio_read(&request));
	if (write(pair[1], "x", 1) != 1)
		return;
	for (int i = 0; i < 2000 && aio_error(&request) == EINPROGRESS; i++)
		usleep(1000);
	usleep(20000); /* the signal follows the end of the request */
	printf(" %d", (int)aio_return(&request));
}

static void by_aio(void)
{
	read_behind(SIGEV_SIGNAL);
}

static void by_aio_s_function(void)
{
	read_behind(SIGEV_THREAD);
	say_noticed();
}

static void by_pidfd(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	printf(" %d", (int)syscall(SYS_pidfd_send_signal, fd, number, NULL, 0));
	close(fd);
}

static siginfo_t made_up(int code)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = number;
	info.si_code = code;
	info.si_pid = 1234;
	info.si_value.sival_int = 12;
	return info;
}

static void by_info(void)
{
	siginfo_t info = made_up(-37);

	printf(" %d", (int)syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, &info));
}

static void by_info_of_process(void)
{
	siginfo_t info = made_up(SI_MESGQ);

	printf(" %d", (int)syscall(SYS_rt_sigqueueinfo, getpid(), number, &info));
}

/* A thread may say anything to itself, also what the kernel says. */
static void by_info_of_kernel(void)
{
	siginfo_t info = made_up(2);

	printf(" %d", (int)syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, &info));
}

static void by_group(void)
{
	printf(" %d", setpgid(0, 0));
	printf(" %d", kill(0, number));
	WORK(PROBE_WORK);
	printf(" %d", killpg(getpgrp(), number));
	WORK(PROBE_WORK);
	printf(" %d", kill(-getpgrp(), number));
}

static void by_tkill(void)
{
	printf(" %d", (int)syscall(SYS_tkill, gettid(), number));
}

/* An event of the program's own that sends the signal of breakpoints (Linux 5.13). */
static void by_counter(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = 1000000,
					.exclude_kernel = 1,
					.exclude_hv = 1,
					.sigtrap = 1,
					.remove_on_exec = 1,
					.sig_data = 77 };
	int fd;

	if (number != SIGTRAP)
		return;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
	work_burn(20000000);
	close(fd);
}

static int end_at_once(void *unused)
{
	(void)unused;
	_exit(3);
}

/* A child may say with which signal its end is told. */
static void by_child_s_end(void)
{
	static char stack[65536];
	int status = 0;
	pid_t child;

	if (number != SIGTRAP) /* what it says would be taken for a sample's */
		return;
	child = clone(end_at_once, stack + sizeof(stack), number, NULL);
	while (waitpid(child, &status, __WALL) < 0 && errno == EINTR)
		;
	printf(" %x", (unsigned)status);
}

static void in_orphan(int ready)
{
	prctl(PR_SET_PDEATHSIG, number);
	handled = 0;
	close(ready);
	for (int i = 0; i < 2000 && !handled && !is_pending(); i++)
		usleep(1000);
}

/* What a child may have sent when its parent ends: the parent is made for it. */
static void by_parent_s_end(void)
{
	int ready[2], done[2];
	char byte;

	if (pipe(ready) || pipe(done))
		return;
	if (!fork()) {
		if (!fork()) {
			close(done[0]);
			in_orphan(ready[1]);
			byte = (char)('0' + handled + 2 * is_pending());
			_exit(write(done[1], &byte, 1) != 1);
		}
		close(ready[1]);
		_exit((int)read(ready[0], &byte, 1));
	}
	close(ready[0]);
	close(ready[1]);
	close(done[1]);
	byte = '-';
	if (read(done[0], &byte, 1) < 0)
		byte = '?';
	printf(" orphan %c", byte);
	while (wait(NULL) < 0 && errno == EINTR)
		;
}

static void (*sends)(void);

static void in_handler(void)
{
	sends();
	WORK(PROBE_WORK);
	printf("  handled %d code %d value %d\n", handled > 0, (int)handled_code,
	       (int)handled_value);
}

static void when_blocked(const sigset_t *mask)
{
	struct timespec brief = { 0, 2000000 };
	siginfo_t info = { 0 };
	int taken;

	pthread_sigmask(SIG_SETMASK, mask, NULL);
	sends();
	WORK(PROBE_WORK);
	printf("  pending %d", is_pending());
	taken = sigtimedwait(&only, &info, &brief);
	printf(" taken %d code %d", taken, info.si_code);
	printf(" value %d then %d\n", info.si_code < 0 ? info.si_value.sival_int : 0,
	       sigtimedwait(&only, &info, &brief));
}

static void in_wait(void)
{
	when_blocked(&only);
}

static void in_wait_for_all(void)
{
	when_blocked(&all);
}

static void when_ignored(void)
{
	signal(number, SIG_IGN);
	sends();
	WORK(PROBE_WORK);
	printf("  ignored %d\n", (int)handled);
}

static void when_default(void)
{
	signal(number, SIG_DFL);
	sends();
	WORK(PROBE_WORK);
	printf("  alive\n");
}

static const struct {
	const char *name;
	void (*send)(void);
} senders[] = {
	{ "timer", by_timer_signal },
	{ "timer of a thread", by_timer_of_thread },
	{ "timer of CPU time", by_timer_of_cpu },
	{ "timer's function", by_timer_s_function },
	{ "message", by_message },
	{ "message's function", by_message_s_function },
	{ "aio", by_aio },
	{ "aio's function", by_aio_s_function },
	{ "pidfd", by_pidfd },
	{ "made-up", by_info },
	{ "made-up, process", by_info_of_process },
	{ "made-up, kernel's", by_info_of_kernel },
	{ "group", by_group },
	{ "tkill", by_tkill },
	{ "counter", by_counter },
	{ "child's end", by_child_s_end },
	{ "parent's end", by_parent_s_end },
};

int main(int argc, char **argv)
{
	probe_start(argc > 1 ? atoi(argv[1]) : SIGTRAP);
	for (size_t i = 0; i < sizeof(senders) / sizeof(senders[0]); i++) {
		sends = senders[i].send;
		printf("%s, ", senders[i].name);
		probe_cell("handled", in_handler);
		probe_cell("blocked", in_wait);
		probe_cell("all blocked", in_wait_for_all);
		probe_cell("ignored", when_ignored);
		probe_cell("default", when_default);
	}
	return 0;
}
