/*
 * Eight threads by pthread_create and two by thrd_create, each named, each burning CPU time
 * in its own instance of one function.  Some are born with every signal blocked.
 *   names CPU_MILLISECONDS_PER_THREAD
 */
#include <threads.h>

#include "tests/preload/targets/target.h"

static uint64_t burn_ns;

static void *posix_thread(void *argument)
{
	char name[16];

	snprintf(name, sizeof(name), "posix %u", (unsigned)(uintptr_t)argument);
	pthread_setname_np(pthread_self(), name);
	work_burn(burn_ns);
	return argument;
}

static int c_thread(void *argument)
{
	char name[16];

	snprintf(name, sizeof(name), "c11 %u", (unsigned)(uintptr_t)argument);
	pthread_setname_np(pthread_self(), name);
	work_burn(burn_ns);
	return 40 + (int)(uintptr_t)argument;
}

int main(int argc, char **argv)
{
	pthread_t posix[8];
	thrd_t c[2];
	sigset_t all, before;

	burn_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	sigfillset(&all);
	for (unsigned i = 0; i < 8; i++) {
		if (i % 2)
			pthread_sigmask(SIG_SETMASK, &all, &before);
		if (pthread_create(&posix[i], NULL, posix_thread, (void *)(uintptr_t)i))
			return 1;
		if (i % 2)
			pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (thrd_create(&c[i], c_thread, (void *)(uintptr_t)i) != thrd_success)
			return 1;
	}
	for (unsigned i = 0; i < 8; i++) {
		void *result;

		pthread_join(posix[i], &result);
		if (result != (void *)(uintptr_t)i)
			return 2;
	}
	for (unsigned i = 0; i < 2; i++) {
		int result;

		thrd_join(c[i], &result);
		if (result != 40 + (int)i)
			return 3;
	}
	puts("ok");
	return 0;
}
