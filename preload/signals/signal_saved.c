/* The mark after a saved mask, and the state of the thread when such a mask is restored. */
#include "preload/signals/signal_saved.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/libc/readable.h"
#include "preload/signals/sharing_calls.h"
#include "preload/signals/signal_mask.h"
#include "preload/signals/signal_veil.h"

#define MARK	  0x6465766173766c00ULL
#define KINDS	  0xffULL
#define MARKED_AT (sizeof(sigset_t) - sizeof(uint64_t)) /* past what the kernel reads or writes */

static uint64_t read_mark(const sigset_t *mask)
{
	uint64_t mark;

	memcpy(&mark, (const char *)mask + MARKED_AT, sizeof(mark));
	return (mark & ~KINDS) == MARK ? mark : 0;
}

static void write_mark(sigset_t *mask, uint64_t mark)
{
	memcpy((char *)mask + MARKED_AT, &mark, sizeof(mark));
}

void signal_saved_note(sigset_t *mask)
{
	uint64_t mark = 0;

	if (!signal_veil_is_used())
		return;
	if (signal_veil.veil && sharing_is_here() && signal_veil_is_on())
		mark = MARK | signal_veil.veil;
	if (mark || read_mark(mask))
		write_mark(mask, mark);
}

/* The caller sets the mask itself, before or after. */
static void become_shut(void)
{
	signal_veil.veil = VEIL_NONE;
	signal_veil_shut();
}

/* Since the mask was saved, the target has shown that its blocks mean our signal.  That holds
 * for the saved mask too. */
static void become_real(sigset_t *mask)
{
	mask->__val[0] |= signal_veil_bit;
	write_mark(mask, 0);
	become_shut();
}

static void become_veiled(sigset_t *mask, enum veil veil)
{
	if (signal_veil_is_meant() && veil != VEIL_IN_HANDLER) {
		become_real(mask);
		return;
	}
	signal_veil.veil = (uint8_t)veil;
	signal_veil_open();
}

/* The kernel may have blocked our signal for a handler of another signal, and unblocks it at the
 * handler's end.  Such a block is left unchanged. */
static void become_blocked(void)
{
	if (signal_veil.shut || !(signal_veil_mask() & signal_veil_bit))
		become_shut();
}

void signal_saved_return(sigset_t *mask)
{
	uint64_t mark;

	if (!signal_veil_is_used() || !sharing_is_here())
		return;
	mark = read_mark(mask);
	if (signal_veil_word(mask) & signal_veil_bit) {
		become_blocked();
	} else if (mark) {
		become_veiled(mask, (enum veil)(mark & KINDS));
	} else {
		signal_veil.veil = VEIL_NONE;
		signal_veil_open();
	}
}

bool signal_saved_context(const ucontext_t *context)
{
	if (!signal_veil_is_used())
		return true;
	if (!readable_bytes(context, sizeof(*context)))
		return false;
	signal_saved_return((sigset_t *)&context->uc_sigmask);
	return true;
}

void signal_saved_jump(struct __jmp_buf_tag *to)
{
	if (to->__mask_was_saved)
		signal_saved_return(&to->__saved_mask);
	else
		signal_mask_jump();
}
