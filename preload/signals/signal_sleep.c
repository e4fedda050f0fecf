/* Calls that wait for signals or sleep with another mask: the part that concerns the thread's
 * own mask. */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/libc/readable.h"
#include "preload/signals/sharing_calls.h"
#include "preload/signals/signal_mask.h"
#include "preload/signals/mask_emulation.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/life/thread_pause.h"

void signal_mask_meant(const sigset_t *set)
{
	if (!signal_veil_bit || !readable_bytes(set, sizeof(uint64_t)) ||
	    !(signal_veil_word(set) & signal_veil_bit) ||
	    signal_veil_is_nearly_all(signal_veil_word(set)) || !session_is_here())
		return;
	signal_veil_use();
	atomic_store_explicit(&signal_veil_meant, 1, memory_order_relaxed);
	if (signal_veil_is_on())
		signal_veil_block();
}

void signal_mask_read_by_file(void)
{
	if (signal_veil_is_used() && thread_pointer_is_known() && !signal_veil.shut &&
	    sharing_is_here() && signal_veil_mask() & signal_veil_bit)
		signal_veil_block();
}

/* Without a veil, the kernel may have blocked our signal for a handler of another signal.  One
 * of our own signals may then be pending. */
static bool lift_in_handler(const sigset_t *set)
{
	if (signal_veil.shut || !signal_veil_is_used() || !sharing_is_here() ||
	    !readable_bytes(set, sizeof(uint64_t)) || signal_veil_word(set) & signal_veil_bit ||
	    !(signal_veil_mask() & signal_veil_bit))
		return false;
	signal_veil.by_handler = true;
	signal_veil_shut_briefly();
	thread_drop_queued();
	return true;
}

bool signal_mask_lift(const sigset_t *set)
{
	if (!signal_veil_bit || !set || !thread_pointer_is_known())
		return false;
	if (!signal_veil.veil || !signal_veil_is_on())
		return lift_in_handler(set);
	if (!readable_bytes(set, sizeof(uint64_t)) || !session_is_here())
		return false;
	signal_veil.by_handler = false;
	signal_veil_lift();
	return true;
}

static void heal(void)
{
	uint64_t mask = signal_veil_mask();

	if (!(mask & signal_veil_bit))
		signal_veil_open();
	else if (signal_veil_is_nearly_all(mask) && !signal_veil_is_meant() &&
		 !signal_veil_is_pending())
		signal_veil_put_on(VEIL_NEARLY_ALL);
	else if (!signal_veil.shut)
		signal_veil_block();
}

void signal_mask_lower(void)
{
	if (!session_is_here())
		return;
	if (signal_veil.by_handler)
		signal_veil_open();
	else
		heal(); /* a handler may have changed anything meanwhile */
	signal_veil.by_handler = false;
}

void signal_mask_heal(void)
{
	if (signal_veil.shut && session_is_here())
		heal();
}

void signal_mask_jump(void)
{
	if (signal_veil.lifted_ns && session_is_here())
		heal();
}

bool signal_mask_drop_ours(void)
{
	if (signal_veil.shut || !thread_self || !session_is_here() ||
	    !(signal_veil_mask() & signal_veil_bit))
		return false;
	thread_pause();
	thread_drop_queued();
	return true;
}

void signal_mask_dropped(void)
{
	thread_resume();
}
