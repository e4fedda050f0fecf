/*
 * data_head is read with acquire and data_tail written with release, as perf_event_open(2)
 * requires. If the locked-memory limit prevents a mapping, it is tried again with fewer pages.  The
 * child of a fork begins without mappings of events (VM_DONTCOPY; kernel/events/core.c, perf_mmap).
 */
#include "runtime/sample/perf/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#define MAPPINGS 65530 /* the kernel's default */
#define SHARE	 16
#define UNASKED	 256 /* so few do not matter, whatever the limit */

static _Atomic uint32_t mappings; /* of this process */

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
	uint32_t ours = atomic_fetch_add_explicit(&mappings, 1, memory_order_relaxed) + 1;
	int err = ours > UNASKED && ours > limit()
			  ? -EUSERS
			  : sys_mmap_apart(mapping, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);

	if (err)
		atomic_fetch_sub_explicit(&mappings, 1, memory_order_relaxed);
	return err;
}

void event_mapping_remove(void *mapping, size_t bytes)
{
	if (!mapping)
		return;
	sys_munmap(mapping, bytes);
	atomic_fetch_sub_explicit(&mappings, 1, memory_order_relaxed);
}

void event_mapping_forget_all(void)
{
	atomic_store_explicit(&mappings, 0, memory_order_relaxed);
}

#define PAGE_BYTES 4096UL

static _Atomic uint64_t *shared(volatile __u64 *word)
{
	return (_Atomic uint64_t *)(uintptr_t)word; /* the kernel's side has no C atomics */
}

static _Atomic uintptr_t *page_word(const struct ring *ring)
{
	return (_Atomic uintptr_t *)(uintptr_t)&ring->page;
}

int ring_map(struct ring *ring, int fd, unsigned pages)
{
	int err;

	ring->page = NULL;

	for (;; pages /= 4) {
		void *mapping;

		if (!pages)
			pages = 1;
		ring->mapped_bytes = (1 + pages) * PAGE_BYTES;
		err = event_mapping_make(&mapping, ring->mapped_bytes, fd);
		if (!err)
			ring->page = mapping;
		if (!err || pages == 1 || (err != -EPERM && err != -ENOMEM && err != -EAGAIN))
			break;
	}
	if (err)
		return err;
	/* Another thread may have closed our descriptor and opened another file under its
	 * number. */
	if (ring->page->data_offset != PAGE_BYTES ||
	    ring->page->data_size != ring->mapped_bytes - PAGE_BYTES) {
		ring_unmap(ring);
		return -EBADF;
	}
	ring->tail = 0;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	event_mapping_remove(ring->page, ring->mapped_bytes);
	ring->page = NULL;
}

void ring_publish(struct ring *ring, const struct ring *mapped)
{
	ring->mapped_bytes = mapped->mapped_bytes;
	ring->tail = mapped->tail;
	/* Pairs with the acquire in ring_pending. */
	atomic_store_explicit(page_word(ring), (uintptr_t)mapped->page, memory_order_release);
}

void ring_withdraw(struct ring *ring, struct ring *mapped)
{
	*mapped = *ring;
	atomic_store_explicit(page_word(ring), 0, memory_order_release);
}

bool ring_pending(const struct ring *ring)
{
	uintptr_t page = atomic_load_explicit(page_word(ring), memory_order_acquire);
	struct perf_event_mmap_page *mapped = (void *)page; /* NOLINT(performance-no-int-to-ptr) */

	return page &&
	       atomic_load_explicit(shared(&mapped->data_head), memory_order_relaxed) != ring->tail;
}

void ring_begin(struct ring *ring)
{
	/* Pairs with the kernel's release of data_head after the records. */
	ring->head = atomic_load_explicit(shared(&ring->page->data_head), memory_order_acquire);
}

static const void *whole_record(const struct ring *ring, size_t offset, size_t size, void *scratch)
{
	const char *data = (const char *)ring->page + PAGE_BYTES;
	size_t data_bytes = ring->mapped_bytes - PAGE_BYTES;
	size_t first = data_bytes - offset;

	if (size <= first)
		return data + offset;
	if (size > RING_SCRATCH_BYTES)
		return NULL;
	memcpy(scratch, data + offset, first);
	memcpy((char *)scratch + first, data, size - first);
	return scratch;
}

bool ring_next(struct ring *ring, const struct record_format *format, void *scratch,
	       struct record *record)
{
	size_t data_bytes = ring->mapped_bytes - PAGE_BYTES;
	size_t offset = ring->tail & (data_bytes - 1);
	const char *data = (const char *)ring->page + PAGE_BYTES;
	const struct perf_event_header *header = (const void *)(data + offset);
	const void *bytes;
	size_t size;

	if (ring->tail == ring->head)
		return false;
	size = header->size; /* records are 8-aligned: a header never wraps */
	if (size < sizeof(*header) || size % 8 || size > ring->head - ring->tail) {
		ring->tail = ring->head;
		record->kind = RECORD_MALFORMED;
		return true;
	}
	bytes = whole_record(ring, offset, size, scratch);
	if (bytes)
		record_parse(format, bytes, size, record);
	else
		record->kind = RECORD_MALFORMED;
	ring->tail += size;
	return true;
}

void ring_end(struct ring *ring)
{
	/* Release: the kernel may overwrite the records only after we have read them. */
	atomic_store_explicit(shared(&ring->page->data_tail), ring->tail, memory_order_release);
}
