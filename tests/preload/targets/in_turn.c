/*
 * Does one thing at a time, as standard input says, one letter each: `first` and `second` burn CPU
 * time, `nap` waits, `children` burns it in a forked process and `threads` in eight threads.
 * `endless` burns until there is another letter, so the line comes before.  A line is printed when
 * each is done.
 */
#include "tests/preload/targets/target.h"

#define CPU_NS	60000000
#define THREADS 8

BURNS(first)
BURNS(second)

__attribute__((noinline)) static void nap(void)
{
	usleep(40000);
	WORK_KEEP(3);
}

BURNS(in_child)

static void children(void)
{
	if (fork()) {
		wait(NULL);
		return;
	}
	in_child(CPU_NS);
	_exit(0);
}

__attribute__((noinline)) static void *in_thread(void *unused)
{
	work_burn(CPU_NS / 2);
	WORK_KEEP(5);
	return unused;
}

__attribute__((noinline)) static void endless(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	while (!poll(&input, 1, 0))
		work_burn(1000000);
	WORK_KEEP(6);
}

static void obey(char letter)
{
	switch (letter) {
	case 'f':
		first(CPU_NS);
		break;
	case 's':
		second(CPU_NS);
		break;
	case 'n':
		nap();
		break;
	case 'c':
		children();
		break;
	case 't':
		run_threads(THREADS, in_thread, NULL);
		break;
	default:
		endless();
	}
}

int main(void)
{
	char letter;

	while (read(STDIN_FILENO, &letter, 1) == 1) {
		if (letter == 'e')
			(void)!write(STDOUT_FILENO, "\n", 1);
		obey(letter);
		if (letter != 'e')
			(void)!write(STDOUT_FILENO, "\n", 1);
	}
	return 0;
}
