/*
 * When the program gets our key, some threads still have a value of ours under it.  libc does not
 * hand that out, because the key has a new sequence number then, and does not call a destructor
 * for it.  Two moments remain, in which another thread is in the middle of something.
 *
 * It sets a value of ours, or makes a key of the program's.  Such threads pass a gate, and our key
 * is given back while it is closed and nobody is inside.
 *
 * It is in libc, which has found that the key is still ours, and is about to call the destructor
 * (__nptl_deallocate_tsd in glibc).  So the program's key has the same destructor as ours, which
 * tells values of ours from the program's by their addresses.
 *
 * The alias __pthread_key_create is not interposed: before glibc 2.34, libstdc++ takes the name for
 * a sign that libpthread is loaded.
 */
#include "preload/threads/thread_ends.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "preload/libc/libc.h"
#include "preload/signals/syscall_dispatch.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/sys/together.h"
#include "runtime/sample/life/thread_life.h"

#define CLOSED	  0x80000000U
#define WAITS	  2000
#define WAIT_NS	  1000000 /* each at most; all waits together take two seconds */
#define KEYS_FREE 32	  /* keys below need no memory in a thread: pthread_setspecific of glibc */

typedef void destructor(void *);

static _Atomic uint32_t gate TOGETHER; /* number of threads inside, and CLOSED */
static _Atomic uint32_t ours;	       /* our key and 1; 0: none */
static _Atomic bool asked;	       /* libc was asked for one */
static _Atomic(destructor *) given;    /* the program's, for the key that was ours */

/* A value of ours is the address of the round of destructors in which it will be found. */
static const char rounds[PTHREAD_DESTRUCTOR_ITERATIONS];

static void leave(void)
{
	uint32_t now = atomic_load(&gate);

	/* In the child of a fork that a handler made inside, nobody is counted. */
	while ((now & ~CLOSED) && !atomic_compare_exchange_weak(&gate, &now, now - 1))
		;
}

static bool enter(void)
{
	if (!(atomic_fetch_add(&gate, 1) & CLOSED))
		return true;
	leave();
	return false;
}

/* Returns false if the caller has waited long enough: another thread is stopped, or the caller is a
 * handler that has interrupted what it waits for. */
static bool wait_a_little(unsigned waited)
{
	const struct timespec most = { .tv_nsec = WAIT_NS };

	if (waited >= WAITS)
		return false;
	sys_futex_wait(&gate, atomic_load(&gate), &most);
	return true;
}

static bool enter_patiently(void)
{
	unsigned waited = 0;

	while (!enter())
		if (!wait_a_little(waited++))
			return false;
	return true;
}

static void reopen(void)
{
	atomic_fetch_and(&gate, ~CLOSED);
}

static bool close_patiently(void)
{
	unsigned waited = 0;

	while (atomic_fetch_or(&gate, CLOSED) & CLOSED)
		if (!wait_a_little(waited++))
			return false;
	while (atomic_load(&gate) != CLOSED)
		if (!wait_a_little(waited++)) {
			reopen();
			return false;
		}
	return true;
}

static bool set_round(size_t round)
{
	bool is_set = false;
	uint32_t key;

	if (!enter())
		return false;
	key = atomic_load(&ours);
	if (key)
		is_set = !pthread_setspecific(key - 1, &rounds[round]);
	leave();
	return is_set;
}

static void end_round(size_t round)
{
	int saved = errno;

	if (round + 1 < sizeof(rounds) && set_round(round + 1)) {
		errno = saved;
		return;
	}
	thread_end();
	syscall_dispatch_thread_end();
	errno = saved;
	thread_pointer_forget();
}

/* The last round is the last moment in which the thread runs its own code (pthread_key_create(3),
 * PTHREAD_DESTRUCTOR_ITERATIONS). */
static void on_end(void *value)
{
	size_t round = (size_t)((uintptr_t)value - (uintptr_t)rounds);
	destructor *program_s;

	if (round < sizeof(rounds)) {
		end_round(round);
		return;
	}
	program_s = atomic_load(&given);
	if (program_s)
		program_s(value);
}

void thread_ends_watch(void)
{
	if (!set_round(0))
		thread_gone_expect();
}

void thread_ends_expect(void)
{
	const struct libc *libc = libc_own();
	pthread_key_t key;
	int err;

	if (atomic_load_explicit(&asked, memory_order_relaxed) || !libc->pthread_key_create ||
	    !libc->pthread_key_delete)
		return;
	atomic_store_explicit(&asked, true, memory_order_relaxed);
	err = libc->pthread_key_create(&key, on_end);
	if (!err && key < KEYS_FREE)
		atomic_store(&ours, key + 1);
	else if (!err)
		libc->pthread_key_delete(key);
	thread_ends_watch();
}

/* A thread that had the gate closed is not in the child.  Its half of the work is left as it is. */
void thread_ends_fork_child(void)
{
	if (atomic_exchange(&gate, 0) & CLOSED) {
		atomic_store(&ours, 0);
		thread_gone_expect();
	}
}

static int give_ours(thread_ends_make *make, unsigned *key, destructor *end, int none_left)
{
	uint64_t mask = sys_signals_block();
	int err = none_left;

	if (close_patiently()) {
		uint32_t had = atomic_load(&ours);

		if (had) {
			thread_gone_expect();
			atomic_store(&given, end);
			libc_own()->pthread_key_delete(had - 1);
			err = make(key, on_end);
			atomic_store(&ours, 0);
		}
		reopen();
	}
	sys_signals_restore(mask);
	return err;
}

int thread_ends_make_key(thread_ends_make *make, unsigned *key, destructor *end, int none_left)
{
	bool is_inside;
	int err;

	if (!atomic_load(&ours))
		return make(key, end);
	is_inside = enter_patiently();
	err = make(key, end);
	if (is_inside)
		leave();
	return err == none_left ? give_ours(make, key, end, none_left) : err;
}
