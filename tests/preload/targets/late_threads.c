/* Three threads that each sleep 100 ms, started as user UID if that is given.
 *   late_threads [UID] */
#include "tests/preload/targets/target.h"

static void *sleep_here(void *unused)
{
	const struct timespec nap = { .tv_nsec = 100000000 };

	nanosleep(&nap, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1 && setuid((uid_t)strtoul(argv[1], NULL, 10)))
		return 1;
	run_threads(3, sleep_here, NULL);
	puts("ok");
	return 0;
}
