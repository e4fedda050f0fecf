/*
 * Masks that the target saves and restores later, by jumps and changes of context: sigsetjmp(3),
 * getcontext(3), swapcontext(3).  These functions save the kernel's mask, in which our signal is
 * missing under emulation (see signal_mask.h).  A mark after the saved mask, in the part of libc's
 * sigset_t that the kernel does not use, says that the target blocks our signal.
 *
 * A jump may leave a sleep without passing the call that would have begun the emulation again.  The
 * jump itself is libc's.
 */
#undef _FORTIFY_SOURCE /* with it the names are aliases of one function */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "preload/libc/entry.h"
#include "preload/libc/readable.h"
#include "preload/libc/real.h"
#include "preload/signals/signal_mask.h"
#include "runtime/sample/sys/thread_pointer.h"

#undef setjmp

#define MARK	  0x6465766173766c00ULL
#define KINDS	  0xffULL
#define MARKED_AT (sizeof(sigset_t) - sizeof(uint64_t)) /* past what the kernel reads or writes */

/* Exported by glibc for programs that are compiled with _FORTIFY_SOURCE, but declared in no
 * header. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value);

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

static void note_saved(sigset_t *mask)
{
	uint64_t mark = 0;

	if (!mask_emulation_is_used())
		return;
	if (mask_state.emulation && sharing_is_here() && mask_emulation_is_on())
		mark = MARK | mask_state.emulation;
	if (mark || read_mark(mask))
		write_mark(mask, mark);
}

/* The caller sets the mask itself, before or after. */
static void become_shut(void)
{
	mask_state.emulation = MASK_EMULATION_NONE;
	mask_emulation_shut();
}

/* Since the mask was saved, the target has shown that its blocks mean our signal.  That holds
 * for the saved mask too. */
static void become_real(sigset_t *mask)
{
	mask->__val[0] |= mask_emulation_bit;
	write_mark(mask, 0);
	become_shut();
}

static void begin_emulation(sigset_t *mask, enum mask_emulation emulation)
{
	if (mask_emulation_is_meant() && emulation != MASK_EMULATION_IN_HANDLER) {
		become_real(mask);
		return;
	}
	mask_state.emulation = (uint8_t)emulation;
	mask_emulation_open();
}

/* The kernel may have blocked our signal for a handler of another signal, and unblocks it at the
 * handler's end.  Such a block is left unchanged. */
static void become_blocked(void)
{
	if (mask_state.shut || !(mask_emulation_mask() & mask_emulation_bit))
		become_shut();
}

/* `mask`, which was saved in this way, becomes the thread's mask, or has just become it. */
static void restore(sigset_t *mask)
{
	uint64_t mark;

	if (!mask_emulation_is_used() || !thread_pointer_is_known() || !sharing_is_here())
		return;
	mark = read_mark(mask);
	if (mask_emulation_word(mask) & mask_emulation_bit) {
		become_blocked();
	} else if (mark) {
		begin_emulation(mask, (enum mask_emulation)(mark & KINDS));
	} else {
		mask_state.emulation = MASK_EMULATION_NONE;
		mask_emulation_open();
	}
}

static void restore_context(const ucontext_t *context)
{
	if (mask_emulation_is_used() && readable_bytes(context, sizeof(*context)))
		restore((sigset_t *)&context->uc_sigmask);
}

#define DEFINE_JUMP(name)                                \
	void name(struct __jmp_buf_tag to[1], int value) \
	{                                                \
		if (to->__mask_was_saved)                \
			restore(&to->__saved_mask);      \
		else                                     \
			signal_mask_jump();              \
		real()->name(to, value);                 \
		__builtin_unreachable();                 \
	}

DEFINE_JUMP(siglongjmp)
DEFINE_JUMP(longjmp)
DEFINE_JUMP(_longjmp)
DEFINE_JUMP(__longjmp_chk)

void *entry___sigsetjmp(struct __jmp_buf_tag *to, int save)
{
	if (save)
		note_saved(&to->__saved_mask);
	return (void *)real()->__sigsetjmp;
}

void *entry_setjmp(struct __jmp_buf_tag *to)
{
	note_saved(&to->__saved_mask);
	return (void *)real()->setjmp;
}

void *entry_getcontext(ucontext_t *context)
{
	note_saved(&context->uc_sigmask);
	return (void *)real()->getcontext;
}

int setcontext(const ucontext_t *context)
{
	restore_context(context);
	return real()->setcontext(context);
}

/* Not inlined: the context may continue in another thread, which has other thread-local
 * variables. */
__attribute__((noinline)) static void leave_for(ucontext_t *left, const ucontext_t *next)
{
	note_saved(&left->uc_sigmask);
	restore_context(next);
}

__attribute__((noinline)) static void come_back(ucontext_t *left)
{
	restore(&left->uc_sigmask);
}

/* When a context ends, libc itself switches to the next one.  So the mask is handled here, after
 * the switch. */
int swapcontext(ucontext_t *left, const ucontext_t *next)
{
	int result;

	leave_for(left, next);
	result = real()->swapcontext(left, next);
	come_back(left);
	return result;
}
