/*
 * clone: a child that shares memory returns on a stack of its own, so this frame is the parent's
 * alone.  What follows the fourth argument is read by libc whatever the flags say, and handed on
 * so.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/libc/real.h"
#include "preload/signals/sharing.h"

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	void *parent_tid, *tls, *child_tid;
	va_list list;

	va_start(list, argument);
	parent_tid = va_arg(list, void *);
	tls = va_arg(list, void *);
	child_tid = va_arg(list, void *);
	va_end(list);
	if (flags & CLONE_VM)
		atomic_store_explicit(&sharing_begun, 1, memory_order_relaxed);
	return real()->clone(function, stack, flags, argument, parent_tid, tls, child_tid);
}
