/*
 * A key's destructor is called in several rounds, since destructors of other keys may set values
 * again.
 */
#include "preload/process/thread_ends.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/libc/libc.h"
#include "preload/process/dispatch.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/thread_gone.h"
#include "runtime/sample/thread_life.h"

static pthread_key_t end_key;
static bool end_key_made;

/* Called in each round of key destructors.  The last round is the last moment in which the
 * thread runs its own code (pthread_key_create(3), PTHREAD_DESTRUCTOR_ITERATIONS). */
static void on_thread_end(void *round)
{
	uintptr_t number = (uintptr_t)round;
	int saved = errno;

	if (number < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(end_key, (void *)(number + 1)); /* NOLINT */
	} else {
		thread_end();
		dispatch_thread_end();
		errno = saved;
		thread_pointer_forget();
		return;
	}
	errno = saved;
}

void thread_ends_watch(void)
{
	if (!end_key_made || pthread_setspecific(end_key, (void *)1)) /* NOLINT */
		thread_gone_expect();
}

/* The first thread is created by the only one that there is. */
void thread_ends_expect(void)
{
	if (end_key_made)
		return;
	end_key_made = !pthread_key_create(&end_key, on_thread_end);
	thread_ends_watch();
}
