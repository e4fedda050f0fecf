/*
 * Kinds of frames, 4,000,000 instructions in each: a leaf without a frame, one below an alloca,
 * a callback of libc's, a signal handler, and the same on an alternate stack.
 */
#include <alloca.h>

#include "tests/machine/targets/spin.h"
#include "tests/support/libc.h"

#define SHARE	    4000000
#define STACK_BYTES 65536

static char alternate[STACK_BYTES] __attribute__((aligned(16)));

SPIN_FUNCTION void leaf_plain(void)
{
	spin(SHARE);
}

SPIN_FUNCTION void leaf_of_alloca(char *room)
{
	room[0] = 1;
	spin(SHARE);
}

SPIN_FUNCTION void with_alloca(size_t bytes)
{
	char *room = alloca(bytes);

	memset(room, 0, bytes);
	leaf_of_alloca(room);
	SPIN_STAY();
}

SPIN_FUNCTION int compare_slowly(const void *a, const void *b)
{
	spin(SHARE);
	return *(const int *)a - *(const int *)b;
}

SPIN_FUNCTION void through_libc(void)
{
	int pair[2] = { 2, 1 };

	qsort(pair, 2, sizeof(pair[0]), compare_slowly);
	SPIN_STAY();
}

SPIN_FUNCTION void on_signal(int number)
{
	(void)number;
	spin(SHARE);
}

SPIN_FUNCTION void through_signal(int number)
{
	raise(number);
	SPIN_STAY();
}

static int handle(int number, int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	return sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	(void)argv;
	if (sigaltstack(&stack, NULL) || handle(SIGUSR1, 0) || handle(SIGUSR2, SA_ONSTACK))
		return 1;
	leaf_plain();
	with_alloca((size_t)argc * 100);
	through_libc();
	through_signal(SIGUSR1);
	through_signal(SIGUSR2);
	puts("worked");
	return 0;
}
