/* Writes to a watched field of a static struct, from three functions in two threads of which one
 * starts later: 250 by set_often, 150 by set_sometimes, 100 by set_rarely; 60 reads of it by
 * look, and many writes beside it.
 *   watched */
#include "tests/preload/targets/target.h"

struct account {
	char owner[16];
	long balance;
	long limit;
};

struct account account;
long totals[8];
static volatile long seen;

__attribute__((noinline)) static void set_often(long value)
{
	*(volatile long *)&account.balance = value;
	*(volatile long *)&account.limit = value;
	WORK_KEEP(1);
}

__attribute__((noinline)) static void set_sometimes(long value)
{
	*(volatile long *)&account.balance = value;
	*(volatile long *)&totals[3] = value;
	WORK_KEEP(2);
}

__attribute__((noinline)) static void set_rarely(long value)
{
	*(volatile long *)&account.balance = value;
	WORK_KEEP(3);
}

__attribute__((noinline)) static void look(void)
{
	seen = *(volatile long *)&account.balance;
	WORK_KEEP(4);
}

static void *later(void *unused)
{
	pthread_setname_np(pthread_self(), "later");
	for (int i = 0; i < 100; i++)
		set_often(i);
	for (int i = 0; i < 100; i++)
		set_sometimes(i);
	return unused;
}

int main(void)
{
	for (int i = 0; i < 150; i++)
		set_often(i);
	run_threads(1, later, NULL);
	for (int i = 0; i < 50; i++)
		set_sometimes(i);
	for (int i = 0; i < 100; i++)
		set_rarely(i);
	for (int i = 0; i < 60; i++)
		look();
	puts("done");
	return 0;
}
