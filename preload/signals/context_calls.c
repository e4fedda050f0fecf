/*
 * Jumps and changes of context.  They restore a mask, and may leave a sleep without passing the
 * call that would have put the veil on again (see signal_mask.h).  The jump itself is libc's.
 */
#undef _FORTIFY_SOURCE /* with it the names are aliases of one function */
#include <setjmp.h>
#include <stddef.h>
#include <ucontext.h>

#include "preload/libc/real.h"
#include "preload/signals/context_entry.h"
#include "preload/signals/signal_saved.h"

#undef setjmp

/* Exported by glibc for programs that are compiled with _FORTIFY_SOURCE, but declared in no
 * header. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value);

void siglongjmp(sigjmp_buf to, int value)
{
	signal_saved_jump(to);
	real()->siglongjmp(to, value);
	__builtin_unreachable();
}

void longjmp(jmp_buf to, int value)
{
	signal_saved_jump(to);
	real()->longjmp(to, value);
	__builtin_unreachable();
}

void _longjmp(jmp_buf to, int value)
{
	signal_saved_jump(to);
	real()->_longjmp(to, value);
	__builtin_unreachable();
}

void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
{
	signal_saved_jump(to);
	real()->__longjmp_chk(to, value);
	__builtin_unreachable();
}

context_save_jump *context_enter_sigsetjmp(struct __jmp_buf_tag *to, int save)
{
	if (save)
		signal_saved_note(&to->__saved_mask);
	return real()->__sigsetjmp;
}

context_set_jump *context_enter_setjmp(struct __jmp_buf_tag *to)
{
	signal_saved_note(&to->__saved_mask);
	return real()->setjmp;
}

context_get *context_enter_getcontext(ucontext_t *context)
{
	signal_saved_note(&context->uc_sigmask);
	return real()->getcontext;
}

int setcontext(const ucontext_t *context)
{
	signal_saved_context(context);
	return real()->setcontext(context);
}

/* Not inlined: the context may continue in another thread, which has other thread-local
 * variables. */
__attribute__((noinline)) static void leave_for(ucontext_t *left, const ucontext_t *next)
{
	signal_saved_note(&left->uc_sigmask);
	signal_saved_context(next);
}

__attribute__((noinline)) static void come_back(ucontext_t *left)
{
	signal_saved_return(&left->uc_sigmask);
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
