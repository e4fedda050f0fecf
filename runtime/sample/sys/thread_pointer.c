/*
 * The threads that were learned are in a table by their thread pointers.  Another thread may be
 * libc's all the same: an object that does not pass our pthread_create made it, or it came before
 * us.  Then its memory is looked at, after the kernel was asked whether that can be read.
 */
#include "runtime/sample/sys/thread_pointer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "runtime/sample/sys/sys_make.h"

#define BUCKET_BITS  9
#define BUCKET_SLOTS 8 /* a cache line */
#define SPREAD	     0x9e3779b97f4a7c15ULL
#define PAGE_BYTES   4096UL
#define WORDS	     3
#define LOWEST	     65536UL /* no record of a thread is below */

typedef _Atomic uint64_t bucket[BUCKET_SLOTS];

static _Atomic bool quiet;
static _Atomic unsigned foreign; /* other pointers.  W: clone, rare calls.  R: any thread */
static _Alignas(64) bucket table[1 << BUCKET_BITS]; /* 0: free.  W, R: any thread */

static _Atomic uint64_t *bucket_of(uint64_t pointer)
{
	return table[pointer * SPREAD >> (64 - BUCKET_BITS)];
}

/* Replace one word of the pointer's bucket.  True if it was there. */
static bool replace(uint64_t pointer, uint64_t from, uint64_t to)
{
	_Atomic uint64_t *slots = bucket_of(pointer);

	for (unsigned i = 0; i < BUCKET_SLOTS; i++) {
		uint64_t expected = from;

		if (atomic_compare_exchange_strong_explicit(&slots[i], &expected, to,
							    memory_order_relaxed,
							    memory_order_relaxed))
			return true;
	}
	return false;
}

static bool is_in_table(uint64_t pointer)
{
	const _Atomic uint64_t *slots = bucket_of(pointer);

	for (unsigned i = 0; i < BUCKET_SLOTS; i++)
		if (atomic_load_explicit(&slots[i], memory_order_relaxed) == pointer)
			return true;
	return false;
}

void thread_pointer_keep_quiet(void)
{
	atomic_store_explicit(&quiet, true, memory_order_relaxed);
}

static bool is_quiet(void)
{
	return atomic_load_explicit(&quiet, memory_order_relaxed);
}

/* memory_is_readable(), past the question whether this thread keeps quiet. */
static bool is_readable(uint64_t address)
{
	return sys_call(SYS_rt_sigprocmask, -1, (long)(address & ~(PAGE_BYTES - 1)), 0,
			sizeof(uint64_t), 0, 0) == -EINVAL;
}

static bool looks_known(uint64_t pointer)
{
	const uint64_t *words = (const uint64_t *)pointer; /* NOLINT(performance-no-int-to-ptr) */

	if (pointer < LOWEST || pointer % sizeof(*words) || (int64_t)pointer < 0 || is_quiet() ||
	    !is_readable(pointer) || !is_readable(pointer + WORDS * sizeof(*words) - 1))
		return false;
	return thread_pointer_looks(pointer, words);
}

static bool is_known(bool by_call)
{
	uint64_t pointer = thread_pointer_read(by_call && !is_quiet());

	return pointer && (is_in_table(pointer) || looks_known(pointer));
}

bool thread_pointer_is_known(void)
{
	return is_known(atomic_load_explicit(&foreign, memory_order_relaxed));
}

void thread_pointer_expect(bool more)
{
	if (more)
		atomic_fetch_add_explicit(&foreign, 1, memory_order_relaxed);
	else
		atomic_fetch_sub_explicit(&foreign, 1, memory_order_relaxed);
}

void thread_pointer_ask(void)
{
	if (thread_pointer_needs_call() && !atomic_load_explicit(&foreign, memory_order_relaxed) &&
	    !is_known(true))
		thread_pointer_expect(true);
}

void thread_pointer_learn(void)
{
	uint64_t pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer();

	if (!is_in_table(pointer))
		replace(pointer, 0, pointer);
}

void thread_pointer_forget(void)
{
	uint64_t pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer();

	replace(pointer, pointer, 0);
}
