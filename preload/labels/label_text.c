/*
 * A page is readable if it belongs to the part of the thread's stack that is in use, or if it was
 * found readable in a loaded object, which stays until it is unloaded.  About any other page the
 * kernel is asked each time, because the program may unmap it at any time.
 */
#include "preload/labels/label_text.h"

#include <stdatomic.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/thread.h"

#define PAGE_BYTES 4096UL
#define KEPT	   64 /* a power of two */

static _Atomic uint64_t kept[KEPT];  /* pages of loaded objects; 0: none.  W, R: any thread */
static _Atomic uint32_t forgettings; /* W: dlclose.  R: any thread */

void label_text_forget(void)
{
	atomic_fetch_add_explicit(&forgettings, 1, memory_order_seq_cst);
	for (unsigned i = 0; i < KEPT; i++)
		atomic_store_explicit(&kept[i], 0, memory_order_seq_cst);
}

static bool is_in_own_stack(uint64_t at)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	const struct thread *thread = thread_self;

	return thread && here >= thread->stack.low && at >= here && at < thread->stack.high;
}

static void keep(_Atomic uint64_t *place, uint64_t page, uint32_t before)
{
	uint64_t mine = page;

	atomic_store_explicit(place, page, memory_order_seq_cst);
	/* pairs with label_text_forget(): an object may have gone since the page was asked for */
	if (atomic_load_explicit(&forgettings, memory_order_seq_cst) != before)
		atomic_compare_exchange_strong_explicit(place, &mine, 0, memory_order_relaxed,
							memory_order_relaxed);
}

static bool is_readable(uint64_t at)
{
	uint64_t page = at & ~(PAGE_BYTES - 1);
	_Atomic uint64_t *place = &kept[page / PAGE_BYTES % KEPT];
	struct dl_find_object object;
	uint32_t before;

	if (atomic_load_explicit(place, memory_order_relaxed) == page && page)
		return true;
	if (is_in_own_stack(at))
		return true;
	before = atomic_load_explicit(&forgettings, memory_order_seq_cst);
	if (!memory_is_readable(page))
		return false;
	if (loader_find(page, &object))
		keep(place, page, before);
	return true;
}

/* Returns the start of the character that `at` is in, or an earlier place if it is no UTF-8. */
static uint32_t cut(const char *text, uint32_t at)
{
	for (unsigned i = 0; i < 3 && at && ((unsigned char)text[at] & 0xc0) == 0x80; i++)
		at--;
	return at;
}

MEMORY_RAW bool label_text_read(const char *from, uint32_t max, char *into, struct label_text *text)
{
	uint64_t at = (uint64_t)(uintptr_t)from;
	uint32_t count = 0;

	if (!is_readable(at))
		return false;
	for (;; count++, at++) {
		if (count && !(at % PAGE_BYTES) && !is_readable(at))
			return false;
		into[count] = *(const volatile char *)at; /* NOLINT(performance-no-int-to-ptr) */
		if (!into[count])
			break;
		if (count == max) {
			count = cut(into, count);
			break;
		}
	}
	*text = (struct label_text){ into, count, label_table_hash(into, count) };
	return true;
}
