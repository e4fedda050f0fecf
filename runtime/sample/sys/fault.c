/*
 * Fault points: system calls of ours that fail on request.  The request is the variable
 * FAULT_FLAMETRAP=NUMBER,ERRNO,FROM,TO: calls FROM to TO, counted from 1, of the system call NUMBER
 * answer ERRNO and are not made.  Nothing of this file remains in an ordinary build.  The count
 * covers the whole process and restarts with each image; a forked child continues its parent's
 * count.
 */
#include "runtime/sample/sys/sys_make.h"

#if CONFIG_FAULTS

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/settings/env.h"

enum { NUMBER, ERRNO, FROM, TO, FIELDS };

static long wanted[FIELDS] = { -1, 0, 1, 0 };
static _Atomic long seen;
static _Atomic int asked;

static void ask(void)
{
	const char *text = env_get(__environ, "FAULT_FLAMETRAP");

	for (int field = 0; text && *text && field < FIELDS; field++) {
		char *end;

		wanted[field] = strtol(text, &end, 10);
		text = *end ? end + 1 : end;
	}
}

long fault_due(long number)
{
	long turn;

	if (__environ && !atomic_exchange_explicit(&asked, 1, memory_order_relaxed))
		ask();
	if (number != wanted[NUMBER])
		return 0;
	turn = 1 + atomic_fetch_add_explicit(&seen, 1, memory_order_relaxed);
	return turn >= wanted[FROM] && turn <= wanted[TO] ? -wanted[ERRNO] : 0;
}

#endif
