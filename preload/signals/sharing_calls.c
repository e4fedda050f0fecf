/*
 * clone: a child that shares memory returns on a stack of its own, so this frame belongs to the
 * parent alone.  libc reads the arguments after the fourth whatever the flags are, and so they are
 * always passed on.
 */
#include "preload/signals/signal_mask.h"

#include <sched.h>
#include <stdarg.h>

#include "preload/libc/entry.h"
#include "preload/libc/real.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/thread_pointer.h"

_Atomic uint8_t sharing_begun;

bool sharing_is_here(void)
{
	if (atomic_load_explicit(&sharing_begun, memory_order_relaxed))
		return session_is_here();
	return atomic_load_explicit(&session.active, memory_order_relaxed);
}

void *entry_vfork(void)
{
	atomic_store_explicit(&sharing_begun, 1, memory_order_relaxed);
	return (void *)real()->vfork;
}

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	void *parent_tid, *tls, *child_tid;
	va_list list;
	int child;

	va_start(list, argument);
	parent_tid = va_arg(list, void *);
	tls = va_arg(list, void *);
	child_tid = va_arg(list, void *);
	va_end(list);
	if (flags & CLONE_VM)
		atomic_store_explicit(&sharing_begun, 1, memory_order_relaxed);
	if (!(flags & CLONE_SETTLS))
		return real()->clone(function, stack, flags, argument, parent_tid, tls, child_tid);
	thread_pointer_expect(true);
	child = real()->clone(function, stack, flags, argument, parent_tid, tls, child_tid);
	if (child < 0 || flags & CLONE_VFORK || !(flags & CLONE_VM))
		thread_pointer_expect(false); /* its end, its exec, or its own memory */
	return child;
}
