/*
 * Every call of signal(7)'s "never restarted" list that needs no special rights, repeatedly, with
 * work between the calls so that there are samples.  Prints the number of calls that failed with
 * EINTR; then the same with the target's own timer signal, where each must fail.
 *   sleeping ROUNDS
 */
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "tests/preload/targets/target.h"

#define QUIET_MS 2
#define LONG_MS	 500 /* when the timer rings, whatever else the machine does */

static int sockets[2], poller, semaphores;
static unsigned interrupted;
static volatile sig_atomic_t rang;

static void ring(int signal)
{
	(void)signal;
	rang++;
}

static void count(long result)
{
	if (result < 0 && errno == EINTR)
		interrupted++;
}

static void sleep_everywhere(long ms)
{
	struct timeval limit = { .tv_usec = ms * 1000 };
	struct timespec span = { .tv_nsec = ms * 1000000 };
	struct timeval value = { .tv_usec = ms * 1000 };
	struct pollfd wait = { .fd = sockets[0], .events = POLLIN };
	struct sembuf down = { .sem_op = -1 };
	struct epoll_event event;
	sigset_t set;
	fd_set fds;
	char byte;

	count(nanosleep(&span, NULL));
	/* Returns its error instead of setting errno. */
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
	count(errno ? -1 : 0);
	count(poll(&wait, 1, (int)ms));
	count(ppoll(&wait, 1, &span, NULL));
	FD_ZERO(&fds);
	FD_SET(sockets[0], &fds);
	count(select(sockets[0] + 1, &fds, NULL, NULL, &value));
	FD_SET(sockets[0], &fds);
	count(pselect(sockets[0] + 1, &fds, NULL, NULL, &span, NULL));
	count(epoll_wait(poller, &event, 1, (int)ms));
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	count(recv(sockets[0], &byte, 1, 0));
	count(semtimedop(semaphores, &down, 1, &span));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	count(sigtimedwait(&set, NULL, &span));
	count(usleep((useconds_t)ms * 1000));
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = ring };
	struct itimerval every = { .it_interval = { .tv_usec = 700 },
				   .it_value = { .tv_usec = 700 } };
	int rounds = argc > 1 ? atoi(argv[1]) : 10;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 2;
	poller = epoll_create1(0);
	epoll_ctl(poller, EPOLL_CTL_ADD, sockets[0], &(struct epoll_event){ .events = EPOLLIN });
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	if (poller < 0 || semaphores < 0)
		return 2;
	for (int i = 0; i < rounds; i++) {
		sleep_everywhere(QUIET_MS);
		WORK(200000);
	}
	printf("quiet: %u interrupted\n", interrupted);
	interrupted = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < rounds; i++)
		sleep_everywhere(LONG_MS);
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_REAL, &every, NULL);
	printf("own timer: %s\n",
	       interrupted >= 11u * (unsigned)rounds / 2 ? "interrupts" : "lost");
	semctl(semaphores, 0, IPC_RMID);
	return 0;
}
