/*
 * The program's view of every way to send a signal and every way to take it, in each state of its
 * action and mask, in the only thread or in one of four.  Each cell is a process of its own.
 *   trap_matrix SIGNAL THREADS ROUNDS
 */
#include <sys/epoll.h>

#include "tests/preload/targets/trap_senders.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* sigpause, sigset */

#define WORK_ROUNDS 150000
#define SHORT              \
	(struct timespec)  \
	{                  \
		0, 2000000 \
	}

static int rounds;
static _Atomic bool ended;

/* Ways to take, which the linker gathers; each prints what it saw.  None waits without end when
 * nothing is pending. */
extern const struct named __start_takers[], __stop_takers[];
#define TAKER(of, called)                                                                        \
	static void to_##of(void);                                                               \
	__attribute__((section("takers"), used,                                                  \
		       aligned(16))) static const struct named taker_##of = { called, to_##of }; \
	static void to_##of(void)

static void say_info(int result, const siginfo_t *info)
{
	printf(" %d", result);
	if (result > 0)
		printf(" code %d value %d", info->si_code,
		       info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
	else
		printf(" %s", strerror(errno));
}

static void wait_for(const sigset_t *set)
{
	int taken = 0;

	if (is_pending())
		printf(" %d", sigwait(set, &taken));
	printf(" took %d", taken);
}

TAKER(sigwait, "sigwait")
{
	wait_for(&only);
}

TAKER(sigwait_all, "sigwait for all")
{
	wait_for(&all);
}

TAKER(sigwaitinfo, "sigwaitinfo")
{
	siginfo_t info;

	if (is_pending())
		say_info(sigwaitinfo(&only, &info), &info);
}

TAKER(sigtimedwait, "sigtimedwait")
{
	siginfo_t info;

	for (int i = 0; i < 3; i++)
		say_info(sigtimedwait(&only, &info, &SHORT), &info);
}

TAKER(raw_call, "rt_sigtimedwait")
{
	siginfo_t info;

	for (int i = 0; i < 3; i++)
		say_info((int)syscall(SYS_rt_sigtimedwait, &only, &info, &SHORT, 8), &info);
}

TAKER(signalfd, "signalfd")
{
	int fd = signalfd(-1, &only, SFD_NONBLOCK | SFD_CLOEXEC);
	struct pollfd file = { .fd = fd, .events = POLLIN };
	struct signalfd_siginfo info;

	for (int i = 0; i < 3; i++) {
		printf(" poll %d", poll(&file, 1, 2));
		if (read(fd, &info, sizeof(info)) == sizeof(info))
			printf(" read %u code %d", info.ssi_signo, info.ssi_code);
		else
			printf(" %s", strerror(errno));
		WORK(WORK_ROUNDS);
	}
	close(fd);
}

static void say_sleep(int result)
{
	printf(" %d %s", result, result < 0 ? strerror(errno) : "");
}

/* An ignored signal would wake no thread. */
static bool would_wake(void)
{
	struct sigaction action;

	return is_pending() && !sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN;
}

TAKER(sigsuspend, "sigsuspend")
{
	if (would_wake())
		say_sleep(sigsuspend(&none));
}

TAKER(sigpause, "sigpause")
{
	if (would_wake())
		say_sleep(sigpause(number));
}

TAKER(pselect, "pselect")
{
	for (int i = 0; i < 2; i++)
		say_sleep(pselect(0, NULL, NULL, NULL, &SHORT, &none));
	say_sleep(pselect(0, NULL, NULL, NULL, &SHORT, &all));
}

TAKER(ppoll, "ppoll")
{
	for (int i = 0; i < 2; i++)
		say_sleep(ppoll(NULL, 0, &SHORT, &none));
	say_sleep(ppoll(NULL, 0, &SHORT, &all));
}

TAKER(epoll_pwait, "epoll_pwait")
{
	struct epoll_event event;
	int fd = epoll_create1(EPOLL_CLOEXEC);

	for (int i = 0; i < 2; i++)
		say_sleep(epoll_pwait(fd, &event, 1, 2, &none));
	say_sleep(epoll_pwait2(fd, &event, 1, &SHORT, &none));
	close(fd);
}

TAKER(unblocking, "unblocking")
{
	pthread_sigmask(SIG_UNBLOCK, &only, NULL);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void say_mask(void);

TAKER(ignoring, "ignoring")
{
	sigset(number, SIG_IGN);
}

TAKER(sigrelse, "sigrelse")
{
	printf(" %d", sighold(number));
	say_mask();
	printf(" %d", sigrelse(number));
}

TAKER(sigset, "sigset")
{
	void (*before)(int) = sigset(number, SIG_HOLD);

	printf(" %d", before == SIG_HOLD);
	say_mask();
	before = sigset(number, SIG_IGN);
	printf(" %d", before == SIG_HOLD);
}

/* Ended by what is pending, if the handler says so. */
TAKER(siginterrupt, "siginterrupt")
{
	printf(" %d %d", siginterrupt(number, 0), siginterrupt(number, 1));
	say_sleep(pselect(0, NULL, NULL, NULL, &SHORT, &none));
}

static const struct state {
	const char *name;
	bool handles, ignores, blocks, blocks_all, restarts;
} states[] = {
	{ .name = "default" },
	{ .name = "blocked", .blocks = true },
	{ .name = "all blocked", .blocks_all = true },
	{ .name = "handled", .handles = true },
	{ .name = "handled, blocked", .handles = true, .blocks = true, .restarts = true },
	{ .name = "handled, all blocked", .handles = true, .blocks_all = true },
	{ .name = "ignored", .ignores = true },
	{ .name = "ignored, blocked", .ignores = true, .blocks = true },
};

static void assume(const struct state *state)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | (state->restarts ? SA_RESTART : 0) };

	if (state->ignores)
		signal(number, SIG_IGN);
	if (state->handles)
		sigaction(number, &action, NULL);
	if (state->blocks)
		sigprocmask(SIG_BLOCK, &only, NULL);
	if (state->blocks_all)
		sigprocmask(SIG_SETMASK, &all, NULL);
}

static void say_mask(void)
{
	struct sigaction action;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	sigaction(number, NULL, &action);
	printf(" [%d%d%d %d]", is_pending(), sigismember(&mask, number),
	       sigismember(&mask, SIGUSR1),
	       action.sa_handler == SIG_IGN   ? 1
	       : action.sa_handler == SIG_DFL ? 0
					      : 2);
	fflush(stdout);
}

static const struct sender *sender;
static const struct named *taker;
static bool hops; /* a signal of the process goes through the threads that block everything */

static int workers;		       /* threads that do nothing but work */
static _Atomic unsigned long turns[8]; /* of each worker */

/* Has each been in its own code since the numbers were noted?  Then they are noted anew. */
static bool all_went_on(unsigned long *before)
{
	for (int i = 0; i < workers; i++)
		if (turns[i] == before[i])
			return false;
	for (int i = 0; i < workers; i++)
		before[i] = turns[i];
	return true;
}

/* It stays where it is when no thread may take it out of the queue any more.  A thread that is in a
 * handler of the signal blocks it, too: what works has to have gone on meanwhile. */
static void wait_until_pending(void)
{
	unsigned long before[8] = { 0 };

	for (int looks = 0, left = 20000; looks < 4 && left; left--) {
		if (!all_block_really() || !is_pending())
			looks = 0;
		else if (all_went_on(before))
			looks++;
		usleep(500);
	}
}

static void *act(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		WORK(WORK_ROUNDS);
		say_mask();
		printf(" sent %d", sender->send());
		fflush(stdout);
		WORK(WORK_ROUNDS);
		if (hops)
			wait_until_pending();
		say_mask();
		taker->run();
		WORK(WORK_ROUNDS);
		printf(" handled %d code %d;", (int)handled, (int)handled_code);
		fflush(stdout);
	}
	say_mask();
	return unused;
}

static void *burn(void *own_turns)
{
	while (!ended) {
		WORK(1000);
		++*(_Atomic unsigned long *)own_turns;
	}
	return NULL;
}

static void run_cell(const struct state *state, int threads)
{
	pthread_t others[8];

	hops = threads > 1 && state->blocks_all &&
	       (!sender->to_thread || sender->send == by_pthread_sigqueue);
	workers = threads - 2;
	assume(state);
	for (int i = 0; i < workers; i++)
		pthread_create(&others[i], NULL, burn, &turns[i]);
	if (threads > 1) {
		run_threads(1, act, NULL);
	} else {
		act(NULL);
	}
	ended = true;
	join_threads(others, (unsigned)(workers > 0 ? workers : 0));
	fflush(stdout);
	_exit(0);
}

static bool is_forced(void)
{
	return sender->send == by_breakpoint || sender->send == by_single_step;
}

/* Of several threads that do not block a signal of the process any may take it, at any time.  What
 * a file sends looks like a sample's signal, but for SIGTRAP. */
static bool is_certain(const struct state *state, int threads)
{
	if (sender->send == by_file && number != SIGTRAP)
		return false;
	if (is_forced() && number != SIGTRAP)
		return false;
	return threads == 1 || sender->to_thread || state->blocks || state->blocks_all;
}

static void cell(const struct state *state, int threads)
{
	pid_t child;

	if (!is_certain(state, threads))
		return;
	printf("%s, %s, %s:", state->name, sender->name, taker->name);
	fflush(stdout);
	child = fork();
	if (!child)
		run_cell(state, threads);
	printf(" -> %x\n", (unsigned)status_of(child) & 0xff7f);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;

	probe_start(argc > 1 ? atoi(argv[1]) : SIGTRAP);
	rounds = argc > 3 ? atoi(argv[3]) : 1;
	for (size_t s = 0; s < COUNT(states); s++)
		for (size_t i = 0; i < COUNT(senders); i++)
			for (taker = __start_takers; taker < __stop_takers; taker++) {
				sender = &senders[i];
				cell(&states[s], threads);
			}
	return 0;
}
