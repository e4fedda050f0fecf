/* Until the first child that shares memory is made, the question costs one load. */
#include "preload/signals/sharing.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/libc/real.h"
#include "runtime/sample/session.h"

_Atomic uint8_t sharing_begun;

bool sharing_is_here(void)
{
	if (atomic_load_explicit(&sharing_begun, memory_order_relaxed))
		return session_is_here();
	return atomic_load_explicit(&session.active, memory_order_relaxed);
}

pid_t (*sharing_vfork(void))(void)
{
	atomic_store_explicit(&sharing_begun, 1, memory_order_relaxed);
	return real()->vfork;
}
