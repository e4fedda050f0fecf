/*
 * munmap: code that is mapped a second time is named before it is unmapped; V8 frees its builtins
 * before the process ends.  A signal stack of the target's that is unmapped is no longer used.
 *
 * dlclose: afterwards the rules and names of the unloaded objects are forgotten.
 *
 * Allocators call munmap under their locks, from their first call on.  The real functions are not
 * looked up here, because that may allocate.  Until our constructor has looked them up, the kernel
 * is called directly.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "preload/libc/real.h"
#include "runtime/sample/interp/interp.h"
#include "runtime/sample/session/pending_watch.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/tree/module_copy.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/labels/labels.h"
#include "runtime/sample/unwind/unwind.h"

/* libunwind, which our handler calls, unmaps memory too. */
static bool is_ours(void)
{
	return thread_self && atomic_load_explicit(&thread_self->busy, memory_order_relaxed);
}

static void look_before(uint64_t start, uint64_t bytes)
{
	uint64_t end = bytes <= UINT64_MAX - start ? start + bytes : UINT64_MAX;

	if (!atomic_load_explicit(&session.active, memory_order_relaxed) ||
	    !unmapped_code_is_any() || is_ours() || !session_is_here() ||
	    atomic_load_explicit(&session.stopping, memory_order_relaxed))
		return;
	if (unmapped_code_is_near(start, end))
		module_copy_note(session.modules);
	else
		module_copy_unmapped(session.modules, bytes);
}

static void spare_signal_stack(uint64_t start, uint64_t bytes)
{
	struct thread *self;

	if (!atomic_load_explicit(&session.active, memory_order_relaxed))
		return;
	self = thread_self;
	if (self && !is_ours())
		signal_stack_unmap(&self->signal_stack, start, start + bytes);
}

int munmap(void *address, size_t bytes)
{
	int err;

	spare_signal_stack((uint64_t)(uintptr_t)address, bytes);
	look_before((uint64_t)(uintptr_t)address, bytes);
	if (real_is_ready())
		return real()->munmap(address, bytes);
	err = sys_munmap(address, bytes);
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

int dlclose(void *handle)
{
	int result, saved;

	if (session_is_here())
		module_copy_note(session.modules);
	interp_unload_begin();
	trace_context_forget();
	result = real_now()->dlclose(handle);
	saved = errno;
	trace_context_forget();
	if (session_is_here()) {
		pending_watch_sweep();
		if (module_sweep(session.modules))
			unwind_forget();
	}
	interp_unload_end();
	errno = saved;
	return result;
}
