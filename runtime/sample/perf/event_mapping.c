/*
 * A counter of mappings is enough.
 */
#include "runtime/sample/perf/ring.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#define MAPPINGS 65530 /* the kernel's default */
#define SHARE	 16
#define UNASKED	 256 /* so few do not matter, whatever the limit */

static _Atomic uint32_t mapped; /* of this process */

/* The limit is read once, when it begins to matter. */
static uint32_t limit(void)
{
	static _Atomic uint32_t known;
	uint32_t most = atomic_load_explicit(&known, memory_order_relaxed);

	if (most)
		return most;
	most = (uint32_t)(proc_number("/proc/sys/vm/max_map_count", MAPPINGS) / SHARE);
	if (most < UNASKED)
		most = UNASKED;
	atomic_store_explicit(&known, most, memory_order_relaxed);
	return most;
}

int event_mapping_make(void **mapping, size_t bytes, int fd)
{
	uint32_t ours = atomic_fetch_add_explicit(&mapped, 1, memory_order_relaxed) + 1;
	int err = ours > UNASKED && ours > limit()
			  ? -EUSERS
			  : sys_mmap_apart(mapping, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);

	if (err)
		atomic_fetch_sub_explicit(&mapped, 1, memory_order_relaxed);
	return err;
}

void event_mapping_remove(void *mapping, size_t bytes)
{
	if (!mapping)
		return;
	sys_munmap(mapping, bytes);
	atomic_fetch_sub_explicit(&mapped, 1, memory_order_relaxed);
}

void event_mapping_forget_all(void)
{
	atomic_store_explicit(&mapped, 0, memory_order_relaxed);
}
