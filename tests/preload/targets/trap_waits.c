/*
 * Signals that are waited for.
 *   trap_waits SIGNAL stays THREADS
 *     One that all threads block stays pending for the process while other threads start and end
 * and programs are executed.  It is not taken even for a moment. trap_waits SIGNAL first PROCESSES
 *     Processes that block nearly all signals and then wait for one of them by name, for the first
 *     time, while another process sends it: a bit later in each process than in the one before.
 *     Prints how many of them received it, or the status of the first that did not.
 *   trap_waits SIGNAL sigwait|sigwaitinfo|signalfd only|all
 *     A server's thread waits for signals while another process sends them.  Prints the number of
 *     each that it received, with their data.  A signal of which only one can be pending is sent
 * again after it was taken. trap_waits SIGNAL CASE MS Ways out of a sleep that unblocks the signals
 * which the thread blocks, other than its return: a handler that jumps, and cancellation.  Prints
 * the mask afterwards and the effect of the signal. Then the thread works in a function of its own.
 */
#include "tests/preload/targets/trap_probe.h"

#define STEPS	   400 /* of the delay, before it begins anew */
#define STEP_LOOPS 40
#define ROUNDS	   300
#define BURNERS	   2
#define QUEUED	   (SIGRTMIN + 7)
#define LAST	   (SIGRTMIN + 8) /* taken after all of lower numbers */

static _Atomic bool ended;

static _Atomic unsigned missed, looks;

static void *look(void *unused)
{
	sigset_t pending;

	while (!ended) {
		sigpending(&pending);
		missed += sigismember(&pending, number) <= 0;
		looks++;
	}
	return unused;
}

static void *pass(void *unused)
{
	unsigned before = looks;

	WORK(1000);
	while (looks == before) /* until the looking thread has run */
		sched_yield();
	return unused;
}

static void stay_pending(int threads)
{
	pthread_t looker;
	siginfo_t info;

	sigprocmask(SIG_BLOCK, &only, NULL);
	sigqueue(getpid(), number, (union sigval){ 7 });
	start_threads(&looker, 1, look, NULL);
	while (threads--)
		run_threads(1, pass, NULL);
	ended = true;
	join_threads(&looker, 1);
	printf("missed %u\n", missed);
	printf("took %d", sigwaitinfo(&only, &info));
	printf(" code %d value %d\n", info.si_code, info.si_value.sival_int);
}

static _Atomic int *ready;

static int wait_for(void)
{
	sigprocmask(SIG_BLOCK, &all, NULL);
	*ready = 1;
	return sigwaitinfo(&only, NULL) == number ? 0 : 1;
}

static void send_to(pid_t process, int step)
{
	while (!*ready)
		;
	for (volatile int i = 0; i < step * STEP_LOOPS; i++)
		;
	kill(process, number);
}

static void wait_first(int processes)
{
	ready = mmap(NULL, sizeof(*ready), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	for (int i = 0; i < processes; i++) {
		pid_t child;
		int status;

		*ready = 0;
		child = fork();
		if (!child)
			_exit(wait_for());
		send_to(child, i % STEPS);
		status = status_of(child);
		if (status) {
			printf("process %d: status %x\n", i, (unsigned)status);
			exit(1);
		}
	}
	printf("%d\n", processes);
}

static int file = -1;
static const char *way;
static sigset_t wanted;
static int taken_pipe[2];

static void *burn(void *unused)
{
	while (!ended)
		WORK(1000);
	return unused;
}

/* The next signal, with the value that came with it. */
static int next(int *value)
{
	struct signalfd_siginfo record;
	siginfo_t info;
	int taken;

	*value = 0;
	if (!strcmp(way, "sigwait"))
		return sigwait(&wanted, &taken) ? -1 : taken;
	if (!strcmp(way, "sigwaitinfo")) {
		do {
			taken = sigwaitinfo(&wanted, &info);
		} while (taken < 0 && errno == EINTR);
		*value = info.si_code == SI_QUEUE ? info.si_value.sival_int : 0;
		return taken;
	}
	if (read(file, &record, sizeof(record)) != sizeof(record))
		return -1;
	*value = record.ssi_code == SI_QUEUE ? record.ssi_int : 0;
	return (int)record.ssi_signo;
}

static void *serve(void *unused)
{
	unsigned count[65] = { 0 };
	long sum[65] = { 0 };
	int taken, value;

	do {
		taken = next(&value);
		if (taken < 0 || taken > 64)
			break;
		count[taken]++;
		sum[taken] += value;
		WORK(20000);
		if (taken == number && write(taken_pipe[1], "x", 1) != 1)
			break;
	} while (taken != LAST);
	for (int i = 1; i < 65; i++)
		if (count[i])
			printf("%d: %u, sum %ld\n", i >= QUEUED ? i - QUEUED + 100 : i, count[i],
			       sum[i]);
	return unused;
}

static int send_all(pid_t to)
{
	char byte;

	for (int i = 1; i <= ROUNDS; i++) {
		if (i % 3 ? sigqueue(to, number, (union sigval){ i }) : kill(to, number))
			return 1;
		for (int queued = 0; queued < 3; queued++)
			if (sigqueue(to, QUEUED, (union sigval){ queued }))
				return 2;
		if (read(taken_pipe[0], &byte, 1) != 1)
			return 3;
	}
	return kill(to, LAST) ? 4 : 0;
}

static int serve_signals(const sigset_t *blocked)
{
	pthread_t burners[BURNERS];
	pid_t parent = getpid(), child;

	wanted = only;
	sigaddset(&wanted, QUEUED);
	sigaddset(&wanted, LAST);
	sigprocmask(SIG_BLOCK, blocked ? blocked : &wanted, NULL);
	if (pipe(taken_pipe))
		return 1;
	if (!strcmp(way, "signalfd"))
		file = signalfd(-1, &wanted, SFD_CLOEXEC);
	child = fork();
	if (!child)
		_exit(send_all(parent));
	start_threads(burners, BURNERS, burn, NULL);
	run_threads(1, serve, NULL);
	ended = true;
	join_threads(burners, BURNERS);
	printf("sender %x\n", (unsigned)status_of(child));
	return 0;
}

static uint64_t work_ns;
static sigjmp_buf away;
static volatile sig_atomic_t woken;

static void on_waker(int signal)
{
	woken += signal == SIGUSR1;
	siglongjmp(away, 1);
}

BURNS(burn_after_jump)
BURNS(burn_after_cancel)

static void say(const char *what)
{
	sigset_t mask, pending;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	printf("%s: blocked %d, all %d, pending %d, handled %d, woken %d\n", what,
	       sigismember(&mask, number), sigismember(&mask, SIGUSR2),
	       sigismember(&pending, number), (int)handled, (int)woken);
}

static void sleep_open(bool select)
{
	if (select)
		pselect(0, NULL, NULL, NULL, NULL, &none);
	else
		sigsuspend(&none);
}

/* The mask that is saved is that before the block, or that of the block, or none is. */
static void jump(bool select, bool before, bool save)
{
	struct sigaction action = { .sa_handler = on_waker };

	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	if (!before)
		sigprocmask(SIG_SETMASK, &all, NULL);
	if (!sigsetjmp(away, save)) {
		if (before)
			sigprocmask(SIG_SETMASK, &all, NULL);
		raise(SIGUSR1);
		sleep_open(select);
	}
	burn_after_jump(work_ns);
	raise(number);
	say("jumped");
	sigprocmask(SIG_SETMASK, &none, NULL);
	say("opened");
}

static void on_cancel(void *unused)
{
	(void)unused;
	raise(number);
	say("cancelled");
}

static void *sleep_for_good(void *select)
{
	sigprocmask(SIG_SETMASK, &all, NULL);
	pthread_cleanup_push(on_cancel, NULL);
	for (;;)
		sleep_open(select != NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(bool select)
{
	pthread_t sleeper;

	pthread_create(&sleeper, NULL, sleep_for_good, select ? &number : NULL);
	usleep(20000);
	pthread_cancel(sleeper);
	pthread_join(sleeper, NULL);
	burn_after_cancel(work_ns);
	say("joined");
}

static void leave_sleep(void)
{
	bool select = strstr(way, "pselect") != NULL;

	handle_signal();
	if (strstr(way, "cancel"))
		cancel(select);
	else
		jump(select, strstr(way, "before") != NULL, !strstr(way, "unsaved"));
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	probe_start(atoi(argv[1]));
	way = argv[2];
	work_ns = (uint64_t)atoi(argv[3]) * 1000000;
	if (!strcmp(way, "stays"))
		stay_pending(atoi(argv[3]));
	else if (!strcmp(way, "first"))
		wait_first(atoi(argv[3]));
	else if (!work_ns)
		return serve_signals(strcmp(argv[3], "all") ? NULL : &all);
	else
		leave_sleep();
	return 0;
}
