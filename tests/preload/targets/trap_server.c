/*
 * A server's thread that waits for signals while another process sends them.  Prints the number of
 * each that it received, with their data.  A signal of which only one can be pending is sent again
 * after it was taken.
 *   trap_server SIGNAL sigwait|sigwaitinfo|signalfd only|all
 */
#include <sys/signalfd.h>

#include "tests/preload/targets/target.h"

#define ROUNDS	300
#define BURNERS 2
#define QUEUED	(SIGRTMIN + 7)
#define LAST	(SIGRTMIN + 8) /* taken after all of lower numbers */

static int number, file = -1;
static const char *way;
static sigset_t wanted;
static int taken_pipe[2];
static _Atomic bool ended;

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

int main(int argc, char **argv)
{
	pthread_t burners[BURNERS];
	bool all = argc > 3 && !strcmp(argv[3], "all");
	pid_t parent = getpid(), child;
	sigset_t blocked;
	int status;

	number = argc > 1 ? atoi(argv[1]) : SIGTRAP;
	way = argc > 2 ? argv[2] : "sigwait";
	sigemptyset(&wanted);
	sigaddset(&wanted, number);
	sigaddset(&wanted, QUEUED);
	sigaddset(&wanted, LAST);
	sigfillset(&blocked);
	sigprocmask(SIG_BLOCK, all ? &blocked : &wanted, NULL);
	if (pipe(taken_pipe))
		return 1;
	if (!strcmp(way, "signalfd"))
		file = signalfd(-1, &wanted, SFD_CLOEXEC);
	child = fork();
	if (!child)
		_exit(send_all(parent));
	for (int i = 0; i < BURNERS; i++)
		pthread_create(&burners[i], NULL, burn, NULL);
	run_threads(1, serve, NULL);
	ended = true;
	for (int i = 0; i < BURNERS; i++)
		pthread_join(burners[i], NULL);
	waitpid(child, &status, 0);
	printf("sender %x\n", (unsigned)status);
	return 0;
}
