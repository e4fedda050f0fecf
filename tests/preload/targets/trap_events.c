/*
 * Other senders of a signal, and the information that comes with it: the ends of timers, of input
 * and of messages, of processes and of parents; by numbers of processes, groups and threads.  Each
 * is seen by a handler, by a wait, and by a program that ignores the signal or has it blocked.
 *   trap_events SIGNAL
 */
#include <aio.h>
#include <linux/perf_event.h>
#include <mqueue.h>

#include "tests/preload/targets/trap_probe.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static volatile sig_atomic_t noticed, noticed_blocked;

static void in_notice(union sigval value)
{
	noticed_blocked = is_blocked();
	noticed = value.sival_int;
}

static struct sigevent notice(int how)
{
	struct sigevent event = { .sigev_notify = how,
				  .sigev_signo = number,
				  .sigev_value.sival_int = 11 };

	if (how == SIGEV_THREAD)
		event.sigev_notify_function = in_notice;
	if (how == SIGEV_THREAD_ID)
		event._sigev_un._tid = gettid();
	return event;
}

static void say_noticed(int how)
{
	if (how != SIGEV_THREAD)
		return;
	for (int i = 0; i < 2000 && !noticed; i++)
		usleep(1000);
	printf(" noticed %d, blocked %d", (int)noticed, (int)noticed_blocked);
}

static void by_timer(int how)
{
	struct sigevent event = notice(how);

	run_timer(how == SIGEV_THREAD_ID ? CLOCK_REALTIME : CLOCK_MONOTONIC, &event);
	WORK(PROBE_WORK);
	say_noticed(how);
}

static void by_timer_of_cpu(int how)
{
	struct sigevent event = notice(how);

	run_timer(CLOCK_PROCESS_CPUTIME_ID, &event);
	WORK(PROBE_WORK);
}

static void by_message(int how)
{
	struct mq_attr room = { .mq_maxmsg = 2, .mq_msgsize = 8 };
	struct sigevent event = notice(how);
	char name[64];
	mqd_t queue;

	snprintf(name, sizeof(name), "/trap_events.%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &room);
	mq_unlink(name);
	printf(" %d", mq_notify(queue, &event));
	printf(" %d", mq_send(queue, "x", 1, 0));
	usleep(1000);
	mq_close(queue);
	say_noticed(how);
}

static void by_aio(int how)
{
	static char byte;
	struct aiocb request = { .aio_nbytes = 1, .aio_buf = &byte, .aio_sigevent = notice(how) };
	int pair[2];

	if (pipe(pair))
		return;
	request.aio_fildes = pair[0];
	printf(" %d", aio_read(&request));
	if (write(pair[1], "x", 1) != 1)
		return;
	for (int i = 0; i < 2000 && aio_error(&request) == EINPROGRESS; i++)
		usleep(1000);
	usleep(20000); /* the signal follows the end of the request */
	printf(" %d", (int)aio_return(&request));
	say_noticed(how);
}

static void by_pidfd(int flags)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	printf(" %d", (int)syscall(SYS_pidfd_send_signal, fd, number, NULL, flags));
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

/* A thread may say anything to itself, also what the kernel says. */
static void by_info(int code)
{
	siginfo_t info = made_up(code);

	printf(" %d", (int)syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, &info));
}

static void by_info_of_process(int code)
{
	siginfo_t info = made_up(code);

	printf(" %d", (int)syscall(SYS_rt_sigqueueinfo, getpid(), number, &info));
}

static void by_group(int group)
{
	printf(" %d", setpgid(0, group));
	printf(" %d", kill(0, number));
	WORK(PROBE_WORK);
	printf(" %d", killpg(getpgrp(), number));
	WORK(PROBE_WORK);
	printf(" %d", kill(-getpgrp(), number));
}

static void by_tkill(int unused)
{
	(void)unused;
	printf(" %d", (int)syscall(SYS_tkill, gettid(), number));
}

/* An event of the program's own that sends the signal of breakpoints (Linux 5.13). */
static void by_counter(int sig_data)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = 1000000,
					.exclude_kernel = 1,
					.exclude_hv = 1,
					.sigtrap = 1,
					.remove_on_exec = 1,
					.sig_data = (uint64_t)sig_data };
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
static void by_child_s_end(int flags)
{
	static char stack[65536];
	int status = 0;
	pid_t child;

	if (number != SIGTRAP) /* what it says would be taken for a sample's */
		return;
	child = clone(end_at_once, stack + sizeof(stack), flags | number, NULL);
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
static void by_parent_s_end(int unused)
{
	int ready[2], done[2];
	char byte;

	(void)unused;
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

static const struct cell *sender;

static void sends(void)
{
	sender->run(sender->argument);
}

static void in_handler(int unused)
{
	(void)unused;
	sends();
	WORK(PROBE_WORK);
	printf("  handled %d code %d value %d\n", handled > 0, (int)handled_code,
	       (int)handled_value);
}

static void in_wait(int all_blocked)
{
	struct timespec brief = { 0, 2000000 };
	siginfo_t info = { 0 };
	int taken;

	pthread_sigmask(SIG_SETMASK, all_blocked ? &all : &only, NULL);
	sends();
	WORK(PROBE_WORK);
	printf("  pending %d", is_pending());
	taken = sigtimedwait(&only, &info, &brief);
	printf(" taken %d code %d", taken, info.si_code);
	printf(" value %d then %d\n", info.si_code < 0 ? info.si_value.sival_int : 0,
	       sigtimedwait(&only, &info, &brief));
}

static void without_handler(int ignored)
{
	signal(number, ignored ? SIG_IGN : SIG_DFL);
	sends();
	WORK(PROBE_WORK);
	printf("  alive, handled %d\n", (int)handled);
}

static const struct cell states[] = {
	{ "handled", in_handler, 0 },	   { "blocked", in_wait, 0 },
	{ "all blocked", in_wait, 1 },	   { "ignored", without_handler, 1 },
	{ "default", without_handler, 0 },
};

static const struct cell senders[] = {
	{ "timer", by_timer, SIGEV_SIGNAL },
	{ "timer of a thread", by_timer, SIGEV_THREAD_ID },
	{ "timer of CPU time", by_timer_of_cpu, SIGEV_SIGNAL },
	{ "timer's function", by_timer, SIGEV_THREAD },
	{ "message", by_message, SIGEV_SIGNAL },
	{ "message's function", by_message, SIGEV_THREAD },
	{ "aio", by_aio, SIGEV_SIGNAL },
	{ "aio's function", by_aio, SIGEV_THREAD },
	{ "pidfd", by_pidfd, 0 },
	{ "made-up", by_info, -37 },
	{ "made-up, process", by_info_of_process, SI_MESGQ },
	{ "made-up, kernel's", by_info, 2 },
	{ "group", by_group, 0 },
	{ "tkill", by_tkill, 0 },
	{ "counter", by_counter, 77 },
	{ "child's end", by_child_s_end, 0 },
	{ "parent's end", by_parent_s_end, 0 },
};

int main(int argc, char **argv)
{
	probe_start(argc > 1 ? atoi(argv[1]) : SIGTRAP);
	for (size_t i = 0; i < COUNT(senders); i++) {
		sender = &senders[i];
		printf("%s, ", senders[i].name);
		for (size_t state = 0; state < COUNT(states); state++)
			probe_cell(&states[state]);
	}
	return 0;
}
