/*
 * pthread_key_create and tss_create: the program can have all keys, ours too.
 */
#include <errno.h>
#include <threads.h>

#include "preload/libc/real.h"
#include "preload/threads/thread_ends.h"

int pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
	return thread_ends_make_key(real_now()->pthread_key_create, key, end, EAGAIN);
}

int tss_create(tss_t *key, tss_dtor_t end)
{
	return thread_ends_make_key(real_now()->tss_create, key, end, thrd_error);
}
