/*
 * The addresses of our mappings.  The kernel puts a new mapping into the highest gap that is large
 * enough.  So a mapping that a handler makes would fill the gap that the program has just made with
 * munmap(2).  A program with one thread may put something else there by MAP_FIXED, or expect a
 * fault.  Addresses that a handler asks for therefore lie in a separate range, and each is used
 * once before any is used again.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/sys/sys.h"

#define APART_BYTES ((uintptr_t)1 << 36) /* a program must map this much to reach the range */
#define PAGE_MASK   ((uintptr_t)4095)

static _Atomic uintptr_t lowest; /* 0: the kernel chooses */
static _Atomic uintptr_t used;	 /* bytes from there; grows without end */

void sys_start_apart(void *mapping)
{
	uintptr_t below = (uintptr_t)mapping, none = 0;

	if (below > 2 * APART_BYTES)
		atomic_compare_exchange_strong_explicit(&lowest, &none, below - 2 * APART_BYTES,
							memory_order_relaxed, memory_order_relaxed);
}

int sys_mmap(void **address, size_t bytes, int protection, int flags, int fd)
{
	return sys_mmap_at(NULL, address, bytes, protection, flags, fd);
}

int sys_mmap_apart(void **address, size_t bytes, int protection, int flags, int fd)
{
	uintptr_t wish = atomic_load_explicit(&lowest, memory_order_relaxed);

	if (wish)
		wish += atomic_fetch_add_explicit(&used, (bytes + PAGE_MASK) & ~PAGE_MASK,
						  memory_order_relaxed) &
			(APART_BYTES - 1);
	return sys_mmap_at((void *)wish, address, bytes, protection, flags, fd); /* NOLINT */
}
