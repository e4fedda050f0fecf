/*
 * The state that all threads of the process share, and what happens to it in a fork.  The settings
 * decide whether samples are wanted, until another process changes that in the spool's header.
 */
#include "runtime/sample/session/session.h"

#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/spool_window.h"

#define YIELDS 200

_Alignas(512) struct session session; /* its first members share one page */

void session_lock(void)
{
	lock_take(&session.lock);
}

bool session_lock_patiently(void)
{
	if (!unwind_lock_is_forking() && lock_take_patiently(&session.lock))
		return true;
	spool_alloc_add_count(&session.spool, SPOOL_COUNT_ATTACH_FAILED, 1);
	return false;
}

void session_unlock(void)
{
	lock_give(&session.lock);
}

/* A waiter needs some time to wake up. */
void session_give_way(void)
{
	if (atomic_load_explicit(&session.lock, memory_order_relaxed) != LOCK_WANTED)
		return;
	session_unlock();
	for (unsigned i = 0;
	     i < YIELDS && !atomic_load_explicit(&session.lock, memory_order_relaxed); i++)
		sys_yield();
	session_lock();
}

bool session_is_here(void)
{
	return atomic_load_explicit(&session.active, memory_order_relaxed) &&
	       session.pid == sys_getpid();
}

bool session_is_empty(void)
{
	const struct spool_header *header = session.spool.header;
	uint64_t offset = atomic_load_explicit(&header->first_thread, memory_order_relaxed);
	const struct spool_chunk *chunk = spool_alloc_at(&session.spool, offset);
	const struct spool_thread *slots = (const void *)((const char *)chunk + SPOOL_CHUNK_HEAD);

	return !offset ||
	       (chunk->count == 1 &&
		!atomic_load_explicit(&slots[0].count[SPOOL_COUNT_SAMPLES], memory_order_relaxed));
}

void session_window_set(const struct settings *settings)
{
	uint64_t now_ns = machine_time_now_ns();

	session.window = (struct session_window){ 0, UINT64_MAX };
	if (settings->start_paused)
		session.window.from_ns = UINT64_MAX;
	else if (settings->start_delay_ns)
		session.window.from_ns = now_ns + settings->start_delay_ns;
	if (settings->stop_after_ns && !settings->start_paused)
		session.window.to_ns = now_ns + settings->start_delay_ns + settings->stop_after_ns;
}

static void keep_window(void)
{
	const struct spool_header *header = session.spool.header;

	session.window.from_ns =
		atomic_load_explicit(&header->window_from_ns, memory_order_relaxed);
	session.window.to_ns = atomic_load_explicit(&header->window_to_ns, memory_order_relaxed);
}

/* Reads the window before the fork, where the spool's page is already mapped, instead of in each
 * child. */
void session_fork_begin(void)
{
	keep_window();
	session.forking_at_ns = machine_time_boot_ns();
}

void session_fork_end(void)
{
	session.forking_at_ns = 0;
}

void session_fork_child(void)
{
	machine_time_learn();
	if (!session.forking_at_ns) {
		keep_window();
		return;
	}
	session.start_ticks = machine_time_ticks(session.forking_at_ns, machine_time_boot_ns());
	session_fork_end();
}

bool session_is_wanted(uint64_t time_ns)
{
	return spool_window_holds(session.spool.header, time_ns);
}

uint64_t session_open_ns(uint64_t time_ns)
{
	const struct spool_header *header = session.spool.header;

	return time_ns - atomic_load_explicit(&header->window_from_ns, memory_order_relaxed);
}
