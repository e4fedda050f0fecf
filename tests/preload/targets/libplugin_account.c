/* A library that is loaded while the program runs: a field of a static struct, written by the
 * constructor and by three functions. */
#include "tests/preload/targets/work.h"

#define FIRST_WRITES 7

static struct {
	char owner[16];
	long balance;
	long limit;
} plugin_account;

__attribute__((noinline)) static void put(long value)
{
	*(volatile long *)&plugin_account.balance = value;
	*(volatile long *)&plugin_account.limit = value;
	WORK_KEEP(1);
}

__attribute__((constructor)) static void plugin_begin(void)
{
	for (int i = 0; i < FIRST_WRITES; i++)
		put(i);
	WORK_KEEP(2);
}

void plugin_often(long value)
{
	put(value);
	WORK_KEEP(3);
}

void plugin_sometimes(long value)
{
	put(value);
	WORK_KEEP(4);
}

void plugin_rarely(long value)
{
	put(value);
	WORK_KEEP(5);
}

void *plugin_field(void)
{
	return &plugin_account.balance;
}
