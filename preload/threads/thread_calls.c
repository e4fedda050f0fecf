/*
 * pthread_create and thrd_create: the new thread opens its counters before it runs the target's
 * function.  The record made by the creator carries the needed data, and nothing is allocated.
 * The start routines end in a tail call, so that no frame of ours stays on the thread's stack.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "preload/libc/real.h"
#include "preload/threads/thread_ends.h"
#include "preload/signals/signal_mask.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/life/thread_life.h"

typedef void *(*posix_start)(void *);

/* Stack size in the attributes, or in the default attributes if `attributes` is NULL. */
static size_t stack_bytes(const pthread_attr_t *attributes)
{
	pthread_attr_t standard;
	size_t bytes = 0;

	if (attributes) {
		pthread_attr_getstacksize(attributes, &bytes);
	} else if (!pthread_getattr_default_np(&standard)) {
		pthread_attr_getstacksize(&standard, &bytes);
		pthread_attr_destroy(&standard);
	}
	return bytes;
}

static struct thread *take(void)
{
	if (!session_is_here())
		return NULL;
	thread_gone_look();
	return thread_take();
}

/* Sets *emulated if signal_mask_passed_on() is needed afterwards. */
static struct thread *prepare(void *function, void *argument, const pthread_attr_t *attributes,
			      bool *emulated)
{
	int saved = errno;
	struct thread *thread = take();

	*emulated = false;
	real_now();
	if (thread) {
		thread_ends_expect();
		thread->is_main = false;
		thread->stack.bytes = stack_bytes(attributes);
		*emulated = signal_mask_pass_on();
		thread->caller.start =
			(struct thread_caller_start){ function, argument, *emulated };
	}
	errno = saved;
	return thread;
}

static int finish(struct thread *thread, bool emulated, int err)
{
	if (emulated)
		signal_mask_passed_on();
	if (err)
		thread_give(thread);
	return err;
}

static void begin(struct thread *thread)
{
	bool blocked;
	int saved;

	thread_pointer_learn(); /* before errno, which would ask the kernel about the thread */
	saved = errno;
	thread_ends_watch();
	blocked = signal_mask_inherit(thread->caller.start.emulated);
	thread->tick_timer.held = blocked;
	thread_attach(thread);
	if (blocked)
		signal_mask_settle();
	errno = saved;
}

static void *posix_main(void *record)
{
	struct thread *thread = record;
	posix_start start = (posix_start)thread->caller.start.function;
	void *argument = thread->caller.start.argument;

	begin(thread);
	return start(argument);
}

static int c11_main(void *record)
{
	struct thread *thread = record;
	thrd_start_t start = (thrd_start_t)thread->caller.start.function;
	void *argument = thread->caller.start.argument;

	begin(thread);
	return start(argument);
}

int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument)
{
	bool emulated;
	struct thread *thread = prepare((void *)start, argument, attributes, &emulated);

	if (!thread)
		return real()->pthread_create(id, attributes, start, argument);
	return finish(thread, emulated, real()->pthread_create(id, attributes, posix_main, thread));
}

int thrd_create(thrd_t *id, thrd_start_t start, void *argument)
{
	bool emulated;
	struct thread *thread = prepare((void *)start, argument, NULL, &emulated);

	if (!thread)
		return real()->thrd_create(id, start, argument);
	return finish(thread, emulated, real()->thrd_create(id, c11_main, thread));
}

/* The program can have all keys, ours too. */
int pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
	return thread_ends_make_key(real_now()->pthread_key_create, key, end, EAGAIN);
}

int tss_create(tss_t *key, tss_dtor_t end)
{
	return thread_ends_make_key(real_now()->tss_create, key, end, thrd_error);
}
