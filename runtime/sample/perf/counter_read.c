/*
 * The page is a sequence lock: the kernel increments `lock` before and after each change.  It does
 * so on this very processor, whenever the thread is switched in or out.
 */
#include "runtime/sample/perf/counter_read.h"

#include <errno.h>
#include <stdatomic.h>
#include <linux/perf_event.h>

#include "runtime/sample/sys/sys.h"

#define TRIES 100 /* a page that changes during every one of them is given up */

static uint32_t sequence(const struct perf_event_mmap_page *page)
{
	return *(const volatile __u32 *)&page->lock;
}

static uint64_t since_ns(const struct perf_event_mmap_page *page)
{
	uint64_t cycles = counter_read_clock(), part;

	if (!page->cap_user_time)
		return 0;
	if (page->cap_user_time_short)
		cycles = page->time_cycles + ((cycles - page->time_cycles) & page->time_mask);
	part = cycles & ((1ULL << page->time_shift) - 1);
	return page->time_offset + (cycles >> page->time_shift) * page->time_mult +
	       ((part * page->time_mult) >> page->time_shift);
}

static int read_once(const struct perf_event_mmap_page *page, struct counter_reading *reading)
{
	uint32_t index = page->index;
	uint64_t now_ns, raw;

	if (!page->cap_user_rdpmc || !index || !page->pmc_width || page->pmc_width > 64 ||
	    !sys_may_read_cycles())
		return -EOPNOTSUPP;
	if (!counter_read_hardware(index - 1, &raw))
		return -EOPNOTSUPP;
	raw <<= 64 - page->pmc_width;
	reading->value =
		(uint64_t)page->offset + (uint64_t)((int64_t)raw >> (64 - page->pmc_width));
	now_ns = since_ns(page);
	reading->enabled_ns = page->time_enabled + now_ns;
	reading->running_ns = page->time_running + now_ns;
	return 0;
}

int counter_read(const struct perf_event_mmap_page *page, struct counter_reading *reading)
{
	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t before = sequence(page);
		int err;

		atomic_signal_fence(memory_order_seq_cst);
		err = read_once(page, reading);
		atomic_signal_fence(memory_order_seq_cst);
		if (sequence(page) == before)
			return err;
	}
	return -EOPNOTSUPP;
}
