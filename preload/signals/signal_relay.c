/*
 * A table of handlers, one for each entry.  It only grows; when it is full, further handlers stay
 * the kernel's and run on our signal stack, which is smaller than some.
 */
#include "preload/signals/signal_relay.h"

#include <stdatomic.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/raw_calls.h"

#define BIT(number) (1ULL << ((number)-1))

/* By the kernel, and by libc. */
#define NEVER_BLOCKED (BIT(SIGKILL) | BIT(SIGSTOP) | BIT(32) | BIT(33))

static _Atomic bool begun;
static _Atomic uint64_t handlers[SIGNAL_RELAY_MOST]; /* 0: free.  W, R: any thread */

static bool is_function(uint64_t handler)
{
	return handler != (uint64_t)(uintptr_t)SIG_DFL && handler != (uint64_t)(uintptr_t)SIG_IGN;
}

/* The number of the entry that begins at the address; the number of entries: none does. */
static unsigned number_of(uint64_t address)
{
	const struct signal_relay_entries entries = signal_relay_entries();
	uint64_t offset = address - entries.first;

	if (!entries.count || offset % entries.bytes || offset / entries.bytes >= entries.count)
		return entries.count;
	return (unsigned)(offset / entries.bytes);
}

bool signal_relay_begin(void)
{
	return !atomic_exchange(&begun, true);
}

bool signal_relay_has_begun(void)
{
	return atomic_load_explicit(&begun, memory_order_acquire);
}

bool signal_relay_is_entry(uint64_t address)
{
	return number_of(address) < signal_relay_entries().count;
}

/* C code beside Go's, in the same object, mostly has other masks. */
bool signal_relay_stays(uint64_t handler, uint64_t mask)
{
	struct dl_find_object object;

	return !~(mask | NEVER_BLOCKED) && loader_find(handler, &object) &&
	       raw_calls_is_go(object.dlfo_link_map);
}

/* Take the handler's entry, or a free one.  Returns its number; the number of entries: all are
 * taken by others. */
static unsigned take(uint64_t handler, unsigned count)
{
	unsigned i = 0;

	while (i < count) {
		uint64_t now = 0;

		if (atomic_compare_exchange_strong(&handlers[i], &now, handler) || now == handler)
			return i;
		i++;
	}
	return count;
}

uint64_t signal_relay_hide(uint64_t handler, uint64_t flags, uint64_t mask)
{
	const struct signal_relay_entries entries = signal_relay_entries();
	unsigned number;

	if (!signal_relay_has_begun() || !(flags & SA_ONSTACK) || !is_function(handler) ||
	    signal_relay_is_entry(handler) || signal_relay_stays(handler, mask))
		return handler;
	number = take(handler, entries.count);
	return number < entries.count ? entries.first + (uint64_t)number * entries.bytes : handler;
}

uint64_t signal_relay_handler(unsigned which)
{
	return atomic_load_explicit(&handlers[which], memory_order_relaxed);
}

uint64_t signal_relay_show(uint64_t handler)
{
	unsigned number = number_of(handler);

	return number < signal_relay_entries().count ? signal_relay_handler(number) : handler;
}

void signal_relay_show_action(struct sigaction *action)
{
	uint64_t shown = signal_relay_show((uint64_t)(uintptr_t)action->sa_sigaction);

	action->sa_sigaction = (void (*)(int, siginfo_t *, void *))(uintptr_t)shown; /* NOLINT */
}
