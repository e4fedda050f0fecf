/* Calls that wait for signals or sleep with another mask: the part that concerns the thread's
 * own mask. */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/libc/readable.h"
#include "preload/signals/signal_mask.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/life/thread_life.h"

void signal_mask_meant(const sigset_t *set)
{
	if (!mask_emulation_bit || !readable_bytes(set, sizeof(uint64_t)) ||
	    !(mask_emulation_word(set) & mask_emulation_bit) ||
	    mask_emulation_is_nearly_all(mask_emulation_word(set)) || !session_is_here())
		return;
	mask_emulation_use();
	atomic_store_explicit(&mask_emulation_meant, 1, memory_order_relaxed);
	if (mask_emulation_is_on())
		mask_emulation_block();
}

void signal_mask_read_by_file(void)
{
	if (mask_emulation_is_used() && thread_pointer_is_known() && !signal_veil.shut &&
	    sharing_is_here() && mask_emulation_mask() & mask_emulation_bit)
		mask_emulation_block();
}

/* Without a veil, the kernel may have blocked our signal for a handler of another signal.  One
 * of our own signals may then be pending. */
static bool lift_in_handler(const sigset_t *set)
{
	if (signal_veil.shut || !mask_emulation_is_used() || !sharing_is_here() ||
	    !readable_bytes(set, sizeof(uint64_t)) ||
	    mask_emulation_word(set) & mask_emulation_bit ||
	    !(mask_emulation_mask() & mask_emulation_bit))
		return false;
	signal_veil.by_handler = true;
	mask_emulation_shut_briefly();
	thread_drop_queued();
	return true;
}

bool signal_mask_lift(const sigset_t *set)
{
	if (!mask_emulation_bit || !set || !thread_pointer_is_known())
		return false;
	if (!signal_veil.veil || !mask_emulation_is_on())
		return lift_in_handler(set);
	if (!readable_bytes(set, sizeof(uint64_t)) || !session_is_here())
		return false;
	signal_veil.by_handler = false;
	mask_emulation_lift();
	return true;
}

static void heal(void)
{
	uint64_t mask = mask_emulation_mask();

	if (!(mask & mask_emulation_bit))
		mask_emulation_open();
	else if (mask_emulation_is_nearly_all(mask) && !mask_emulation_is_meant() &&
		 !mask_emulation_is_pending())
		mask_emulation_put_on(MASK_EMULATION_NEARLY_ALL);
	else if (!signal_veil.shut)
		mask_emulation_block();
}

void signal_mask_lower(void)
{
	if (!session_is_here())
		return;
	if (signal_veil.by_handler)
		mask_emulation_open();
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
	    !(mask_emulation_mask() & mask_emulation_bit))
		return false;
	thread_pause();
	thread_drop_queued();
	return true;
}

void signal_mask_dropped(void)
{
	thread_resume();
}
