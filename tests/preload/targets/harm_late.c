/*
 * End while other threads work or sleep, with something left to be done after all destructors: a
 * call that was registered before any constructor ran is made last.  The first thread counts in the
 * file COUNTER and, once the file STARTED is there, uses what a destructor of the program has
 * unmapped. harm_late MILLISECONDS THREADS WAY LATE          (see end_by() and lates[])
 */
#include <sys/epoll.h>

#include "tests/preload/targets/target.h"

#define FREED_BYTES 4096

static volatile char *freed;
static _Atomic int ready, threads_end_it;
static const char *late;

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(9);
}

__attribute__((destructor)) static void free_it(void)
{
	munmap((void *)freed, FREED_BYTES);
}

static volatile unsigned long *counter(void)
{
	const char *name = getenv("COUNTER");
	int fd = name ? open(name, O_RDWR | O_CREAT, 0600) : -1;
	void *page;

	if (fd >= 0 && ftruncate(fd, sizeof(unsigned long)))
		_exit(9);
	page = mmap(NULL, sizeof(unsigned long), PROT_READ | PROT_WRITE,
		    MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
	close(fd);
	return page;
}

static void *work(void *argument)
{
	volatile unsigned long *count = counter();
	const char *started = getenv("STARTED");

	for (ready++;; ++*count) {
		WORK(1000);
		if (threads_end_it)
			_exit(8);
		if (started && !access(started, F_OK))
			freed[0]++;
	}
	return argument;
}

static void *sleep_on(void *argument)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct epoll_event event;
	int ends[2];

	ready++;
	switch ((long)argument % 5) {
	case 0:
		if (!pipe(ends) && read(ends[0], &event, 1) >= 0)
			break;
		break;
	case 1:
		epoll_wait(epoll_create1(0), &event, 1, -1);
		break;
	case 2:
		pthread_mutex_lock(&mutex);
		pthread_cond_wait(&condition, &mutex);
		break;
	case 3:
		sleep(1000000);
		break;
	default:
		pause();
		break;
	}
	say("a sleep has ended\n");
	return NULL;
}

static void *leave(void *argument)
{
	exit(7);
	return argument;
}

static void from_a_thread(bool last)
{
	pthread_t thread;

	pthread_create(&thread, NULL, leave, NULL);
	if (last)
		pthread_exit(NULL);
	for (;;)
		pause();
}

/* Any other way is to return. */
static void end_by(const char *way)
{
	if (!strcmp(way, "exit"))
		exit(7);
	if (!strcmp(way, "_exit"))
		_exit(7);
	if (!strcmp(way, "quick_exit"))
		quick_exit(7);
	if (!strcmp(way, "thread") || !strcmp(way, "last"))
		from_a_thread(!strcmp(way, "last"));
}

static void wait_for_children(void)
{
	int status = 0, waited = 0;
	pid_t child;

	if (waitpid(-1, &status, WNOHANG) != -1 || errno != ECHILD)
		say("a child that is not ours\n");
	child = fork();
	if (!child)
		_exit(3);
	while (waitpid(-1, &status, 0) > 0)
		waited++;
	say(waited == 1 && WEXITSTATUS(status) == 3 ? "waited\n" : "waited for others\n");
}

static void stop(void)
{
	raise(SIGSTOP);
	say("went on\n");
}

static void on_signal(int signal)
{
	(void)signal;
	say("a signal\n");
}

/* Blocks or opens SIGUSR1 in the calling thread, and in those that it creates. */
static void mask(int how)
{
	sigset_t set = set_of(SIGUSR1);

	pthread_sigmask(how, &set, NULL);
}

/* No other thread may take the signal of the process: it might not be done with it at the end. */
static void take_signals(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, SIG_IGN);
	mask(SIG_UNBLOCK);
	raise(SIGUSR1);
	raise(SIGUSR2);
	kill(getpid(), SIGUSR1);
	raise(SIGTRAP);
}

static void execute(void)
{
	execl("/bin/echo", "echo", "another program", NULL);
}

static void end_by_another(void)
{
	threads_end_it = 1;
	for (;;)
		pause();
}

static const struct named lates[] = {
	{ "wait", wait_for_children }, { "stop", stop },   { "signal", take_signals },
	{ "exec", execute },	       { "abort", abort }, { "other", end_by_another },
};

static void end(int status, void *unused)
{
	(void)status;
	(void)unused;
	if (late)
		run_named(lates, COUNT(lates), late);
}

static void begin(void)
{
	on_exit(end, NULL);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = begin;

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 0;
	pthread_attr_t small;
	pthread_t thread;

	if (argc < 5)
		return 2;
	freed = map_memory(FREED_BYTES, PROT_READ | PROT_WRITE);
	mask(SIG_BLOCK);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (long i = 0; i < threads; i++)
		pthread_create(&thread, &small, i ? sleep_on : work, (void *)i);
	while (ready < threads)
		usleep(1000);
	work_burn(strtoull(argv[1], NULL, 10) * 1000000);
	say("ends\n");
	signal(SIGTRAP, SIG_IGN);
	late = argv[4];
	end_by(argv[3]);
	return 7;
}
