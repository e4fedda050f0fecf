/*
 * Limits that count the memory reserved for the spool, which is mostly unused address space.
 *
 * mlockall: a limit on locked memory counts all of it, and locking would fill it.
 *
 * setrlimit, prlimit: when the program limits its own address space, the spool gives up all but the
 * share that it takes under a limit set before the start.  An image that is executed under a limit
 * in which this library does not fit starts without it.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "preload/libc/readable.h"
#include "preload/libc/real.h"
#include "preload/calls/by_number.h"
#include "preload/process/image.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/log/log_budget.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"

#define LITTLE_ROOM (1UL << 20)
#define MUCH_ROOM   (8UL << 20)

static void give_up_room(uint64_t room_bytes)
{
	uint64_t mask = sys_signals_block();

	thread_wait_handlers(); /* before the lock, which a handler may need */
	session_lock();
	spool_alloc_shrink(&session.spool, room_bytes);
	log_budget_shrink();
	session_unlock();
	sys_signals_restore(mask);
}

int mlockall(int flags)
{
	int saved = errno;
	struct rlimit limit;

	if (flags & MCL_CURRENT && session_is_here())
		give_up_room(sys_getrlimit(RLIMIT_MEMLOCK, &limit) ||
					     limit.rlim_cur != RLIM_INFINITY
				     ? LITTLE_ROOM
				     : MUCH_ROOM);
	errno = saved;
	return real()->mlockall(flags);
}

/* An eighth of the mapping is room for the last resort (spool_alloc_shrink). */
static uint64_t room_within(uint64_t share_bytes)
{
	uint64_t kept = share_bytes / 8 * 7;
	uint64_t used = atomic_load_explicit(&session.spool.populated_bytes, memory_order_relaxed);

	return kept > used ? kept - used : 0;
}

void by_number_limit(pid_t pid, int resource, const struct rlimit *limit)
{
	if (pid && pid != session.pid)
		return;
	if (resource == RLIMIT_AS || resource == RLIMIT_DATA)
		own_file_may_not_fit();
	if (resource != RLIMIT_AS || !limit || !thread_pointer_is_known() || !session_is_here() ||
	    !readable_bytes(limit, sizeof(*limit)) || limit->rlim_cur == RLIM_INFINITY)
		return;
	give_up_room(room_within(session_spool_share(limit->rlim_cur)));
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	by_number_limit(0, (int)resource, limit);
	return real()->setrlimit(resource, limit);
}

/* On 64-bit machines both structures are the same (getrlimit(2)). */
int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	by_number_limit(0, (int)resource, (const struct rlimit *)limit);
	return real()->setrlimit64(resource, limit);
}

int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *limit,
	    struct rlimit *old)
{
	by_number_limit(pid, (int)resource, limit);
	return real()->prlimit(pid, resource, limit, old);
}

int prlimit64(pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *limit,
	      struct rlimit64 *old)
{
	by_number_limit(pid, (int)resource, (const struct rlimit *)limit);
	return real()->prlimit64(pid, resource, limit, old);
}
