/*
 * The calls of signal(7) that fail with EINTR even with SA_RESTART, and, after them, those that
 * SA_RESTART restarts.  One line per call.
 *   harm_eintr quiet ROUNDS   no signal comes: how often each failed with EINTR or came early
 *   harm_eintr own            the target's own timer rings: is each of them interrupted?
 *   harm_eintr each           the same where SA_RESTART is not asked for
 *   harm_eintr faulting ROUNDS   sleeps that take a page fault before they begin
 *   harm_eintr long           a long call that returns early when a signal is pending
 *   harm_eintr pending ROUNDS all signals are blocked, SIGTRAP is raised and unblocked: is each
 *                             delivered once, not before and not twice?
 *   harm_eintr nanosleep|poll|semaphore   a sleep that lasts until the program is killed, and that
 *                             the kernel continues after a stop of the process; says "waits" first,
 *                             and then what ended the sleep, if anything did
 */
#include <limits.h>
#include <sys/random.h>

#include "tests/preload/targets/harm_calls.h"

#define RING_NS 3000000L

static volatile sig_atomic_t rang;

static void ring(int signal)
{
	(void)signal;
	rang++;
}

static void fill(int fd)
{
	char bytes[4096] = "";

	while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	while (send(fd, bytes, 1, MSG_DONTWAIT) > 0)
		;
}

static bool set_up(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct sigevent tell = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	sigset_t set = set_of(SIGUSR1);

	sigprocmask(SIG_BLOCK, &set, NULL);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	poller = epoll_create1(0);
	watcher = inotify_init1(0);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	queue = msgget(IPC_PRIVATE, 0600);
	full_queue = msgget(IPC_PRIVATE, 0600);
	sem_init(&semaphore, 0, 0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, full) || syscall(SYS_io_setup, 8, &aio) ||
	    timer_create(CLOCK_MONOTONIC, &tell, &waker))
		return false;
	event.events = EPOLLIN;
	bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t));
	listen(listener, 1);
	epoll_ctl(poller, EPOLL_CTL_ADD, pair[0], &event);
	fill(full[0]);
	while (!msgsnd(full_queue, &message, sizeof(message.text), IPC_NOWAIT))
		;
	return listener >= 0 && poller >= 0 && watcher >= 0 && semaphores >= 0 && queue >= 0 &&
	       full_queue >= 0;
}

static void tear_down(void)
{
	semctl(semaphores, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
	msgctl(full_queue, IPC_RMID, NULL);
}

static long elapsed_ns(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - from->tv_sec) * 1000000000L + now.tv_nsec - from->tv_nsec;
}

static void quiet(unsigned rounds)
{
	unsigned interrupted = 0, early = 0;

	span_ns = SHORT_NS;
	for (const struct call *call = __start_calls; call < __stop_calls; call++) {
		unsigned here = 0, short_here = 0;

		for (unsigned round = 0; round < rounds; round++) {
			struct timespec from;

			clock_gettime(CLOCK_MONOTONIC, &from);
			errno = 0;
			if (call->call() < 0 && errno == EINTR)
				here++;
			else if (call->as & BOUNDED && elapsed_ns(&from) < SHORT_NS)
				short_here++;
		}
		if (here || short_here)
			printf("%s: %u interrupted, %u early\n", call->name, here, short_here);
		interrupted += here;
		early += short_here;
	}
	printf("%zu calls: %u interrupted, %u early\n", (size_t)(__stop_calls - __start_calls),
	       interrupted, early);
}

/* The timer rings again and again, so that it does not matter when the call begins. */
static void own(int flags)
{
	struct sigaction action = { .sa_handler = ring, .sa_flags = flags };
	struct itimerval every = { { 0, RING_NS / 1000 }, { 0, RING_NS / 1000 } };
	unsigned interrupted = 0;

	span_ns = LONG_NS;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (const struct call *call = __start_calls; call < __stop_calls; call++) {
		bool was;

		if (flags && call->as & RESTARTED)
			continue;
		errno = 0;
		was = call->call() < 0 && errno == EINTR;
		printf("%s: %s\n", call->name, was ? "interrupted" : strerror(errno));
		interrupted += was;
	}
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_REAL, &every, NULL);
	printf("%u interrupted, %s\n", interrupted, rang ? "it rang" : "it never rang");
}

/* Sleeps whose time lies on a page that is not there: the kernel takes the fault before it sleeps.
 */
static void faulting(unsigned rounds)
{
	struct timespec *time =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned interrupted = 0, early = 0;

	span_ns = SHORT_NS;
	for (unsigned i = 0; i < rounds; i++) {
		struct timespec from;

		*time = *span();
		madvise(time, 4096, MADV_DONTNEED); /* shared: it comes back as it was */
		clock_gettime(CLOCK_MONOTONIC, &from);
		interrupted += nanosleep(time, NULL) != 0;
		early += elapsed_ns(&from) < SHORT_NS;
	}
	printf("%u interrupted, %u early\n", interrupted, early);
}

static void long_call(void)
{
	size_t wanted = 64UL << 20, got = 0;
	char *bytes = malloc(wanted);
	int calls = 0;

	while (bytes && got < wanted) {
		ssize_t more = getrandom(bytes + got, wanted - got, 0);

		if (more < 0)
			break;
		got += (size_t)more;
		calls++;
	}
	printf("%zu bytes in %d call%s\n", got, calls, calls == 1 ? "" : "s");
	free(bytes);
}

static void pending(unsigned rounds)
{
	unsigned early = 0, missing = 0;
	sigset_t set;

	sigfillset(&set);
	signal(SIGTRAP, ring);
	while (rounds--) {
		rang = 0;
		sigprocmask(SIG_BLOCK, &set, NULL);
		WORK(3000);
		raise(SIGTRAP);
		early += rang != 0;
		WORK(3000);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		missing += rang != 1;
	}
	printf("%u early, %u missing or twice\n", early, missing);
}

#define LONG_S 100000
#define FILES  900 /* the kernel looks at each before the thread sleeps */

static int sleep_in(const char *call)
{
	static struct pollfd files[FILES];
	struct timespec time = { .tv_sec = LONG_S };
	int ends[2];

	if (!strcmp(call, "nanosleep"))
		return nanosleep(&time, NULL);
	if (!strcmp(call, "semaphore")) {
		time.tv_sec += work_cpu_ns(CLOCK_REALTIME) / 1000000000;
		return sem_timedwait(&semaphore, &time);
	}
	if (pipe(ends))
		return 1;
	for (int i = 0; i < FILES; i++)
		files[i] = (struct pollfd){ .fd = i ? dup(ends[0]) : ends[0], .events = POLLIN };
	return poll(files, FILES, INT_MAX);
}

static void sleep_for_good(const char *call)
{
	puts("waits");
	fflush(stdout);
	printf("%d, ", sleep_in(call));
	puts(strerror(errno));
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	unsigned rounds = (unsigned)atoi(argc > 2 ? argv[2] : "100");
	bool waits = strstr("quiet own each faulting", way);

	if (waits && !set_up()) {
		perror("set-up");
		return 1;
	}
	if (!strcmp(way, "faulting"))
		faulting(rounds);
	else if (!strcmp(way, "quiet"))
		quiet(rounds);
	else if (waits)
		own(strcmp(way, "own") ? 0 : SA_RESTART);
	else if (!strcmp(way, "long"))
		long_call();
	else if (!strcmp(way, "pending"))
		pending(rounds);
	else
		sleep_for_good(way);
	if (waits)
		tear_down();
	return 0;
}
