/*
 * A signal for a thread that sleeps in a call, while the thread blocks the signal, or the program
 * ignores or handles it.  Prints the calls that the signal ends.
 *   trap_asleep SIGNAL [portable | often]
 * `portable` leaves out calls that only x86-64 can make again; `often` sends hundreds of signals
 * that are ignored.
 */
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>

#include "tests/preload/targets/target.h"

static int number;
static bool often;
static int ends[2]; /* of a pipe that ends the sleep */
static int semaphores;
static _Atomic pid_t sleeper;
static _Atomic int handled, end_seen;
static sigset_t all, none;

static void on_signal(int signal)
{
	handled += signal == number;
}

static void on_end(int signal)
{
	end_seen = signal;
}

static int in_read(void)
{
	char byte;

	return (int)read(ends[0], &byte, 1);
}

static int in_poll(void)
{
	struct pollfd file = { .fd = ends[0], .events = POLLIN };

	return poll(&file, 1, -1);
}

static int in_timed_poll(void)
{
	struct pollfd file = { .fd = ends[0], .events = POLLIN };

	return poll(&file, 1, 1000000);
}

static int in_ppoll(void)
{
	struct pollfd file = { .fd = ends[0], .events = POLLIN };
	struct timespec time = { 1000, 0 };

	return ppoll(&file, 1, &time, NULL);
}

static int in_select(void)
{
	struct timeval time = { 1000, 0 };
	fd_set files;

	FD_ZERO(&files);
	FD_SET(ends[0], &files);
	return select(ends[0] + 1, &files, NULL, NULL, &time);
}

static int in_epoll_wait(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = epoll_create1(EPOLL_CLOEXEC), result;

	epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event);
	result = epoll_wait(fd, &event, 1, -1);
	close(fd);
	return result;
}

static int in_nanosleep(void)
{
	struct timespec time = { 0, 200000000 };

	return nanosleep(&time, NULL);
}

static int in_semop(void)
{
	struct sembuf take = { .sem_op = -1 };

	return semop(semaphores, &take, 1);
}

static int in_pause(void)
{
	return pause();
}

static int in_sigsuspend(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigsuspend(&mask);
}

static const struct sleep {
	const char *name;
	int (*sleep)(void);
	bool machine;	/* made again only where the registers tell all (x86-64) */
	bool by_signal; /* nothing else ends it */
} sleeps[] = {
	{ "read", in_read, false, false },
	{ "poll", in_poll, false, false },
	{ "timed poll", in_timed_poll, false, false },
	{ "nanosleep", in_nanosleep, false, false },
	{ "ppoll", in_ppoll, true, false },
	{ "select", in_select, true, false },
	{ "epoll_wait", in_epoll_wait, true, false },
	{ "semop", in_semop, true, false },
	{ "pause", in_pause, true, true },
	{ "sigsuspend", in_sigsuspend, true, true },
};

static const struct state {
	const char *name;
	bool handles, restarts, blocks, ignores;
} states[] = {
	{ .name = "blocked", .blocks = true },
	{ .name = "ignored", .ignores = true },
	{ .name = "handled", .handles = true },
	{ .name = "handled, restarting", .handles = true, .restarts = true },
};

static const struct sleep *now;

static void *sleep_once(void *name)
{
	int result;

	sleeper = gettid();
	errno = 0;
	result = now->sleep();
	printf("%s, %s: %d %s\n", (const char *)name, now->name, result,
	       result < 0 ? strerror(errno) : "");
	fflush(stdout);
	sleeper = -1;
	return NULL;
}

/* Is the thread asleep, or gone? */
static bool is_asleep(void)
{
	char state = sleeper > 0 ? state_of(sleeper) : 0;

	return sleeper && (!state || state == 'S');
}

/* For several looks in a row: a handler is shorter. */
static void wait_until_asleep(int wanted)
{
	for (int looks = 0; looks < wanted; looks++) {
		if (!is_asleep())
			looks = -1;
		usleep(wanted > 1 ? 500 : 50);
	}
}

static void cell(const struct state *state)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = state->restarts ? SA_RESTART : 0 };
	struct sembuf give = { .sem_op = 1 };
	pthread_t thread;
	int before;

	if (state->ignores)
		action.sa_handler = SIG_IGN;
	sigaction(number, &action, NULL);
	if (pipe(ends))
		exit(1);
	semctl(semaphores, 0, SETVAL, 0);
	sleeper = end_seen = 0;
	pthread_sigmask(SIG_SETMASK, state->blocks ? &all : &none, NULL);
	pthread_create(&thread, NULL, sleep_once, (void *)(uintptr_t)state->name);
	wait_until_asleep(20);
	before = handled;
	for (int i = 0; i < (often ? 500 : 3); i++) {
		if (sleeper > 0)
			pthread_kill(thread, number);
		while (state->handles && handled == before)
			usleep(100);
		wait_until_asleep(often ? 1 : 20);
	}
	wait_until_asleep(20);
	if (write(ends[1], "x", 1) != 1)
		exit(1);
	semop(semaphores, &give, 1);
	if (now->by_signal && sleeper > 0)
		pthread_kill(thread, SIGUSR2);
	pthread_join(thread, NULL);
	printf("handled %d, end %d\n", handled > before, end_seen > 0);
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	struct sigaction end = { .sa_handler = on_end };
	bool portable = argc > 2 && !strcmp(argv[2], "portable");

	number = argc > 1 ? atoi(argv[1]) : SIGTRAP;
	often = argc > 2 && !strcmp(argv[2], "often");
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	sigfillset(&all);
	sigdelset(&all, SIGUSR2);
	sigaction(SIGUSR2, &end, NULL);
	sigemptyset(&none);
	for (size_t s = 0; s < COUNT(states); s++)
		for (size_t i = 0; i < COUNT(sleeps); i++) {
			now = &sleeps[i];
			if (often ? states[s].ignores
				  : !portable || !now->machine || states[s].handles)
				cell(&states[s]);
		}
	semctl(semaphores, 0, IPC_RMID);
	return 0;
}
