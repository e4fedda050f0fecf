/*
 * A handler that ends a sleep by a jump, past the call that would have put the veil on again (see
 * signal_mask.h).  The jump itself is libc's.
 */
#undef _FORTIFY_SOURCE /* under which the names are aliases of one */
#include <setjmp.h>

#include "preload/real.h"
#include "preload/signal_mask.h"

/* Exported by glibc for programs that are compiled with _FORTIFY_SOURCE, declared nowhere. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag to[1], int value);

void siglongjmp(sigjmp_buf to, int value)
{
	signal_mask_jump(to);
	real()->siglongjmp(to, value);
	__builtin_unreachable();
}

void longjmp(jmp_buf to, int value)
{
	signal_mask_jump(to);
	real()->longjmp(to, value);
	__builtin_unreachable();
}

void _longjmp(jmp_buf to, int value)
{
	signal_mask_jump(to);
	real()->_longjmp(to, value);
	__builtin_unreachable();
}

void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
{
	signal_mask_jump(to);
	real()->__longjmp_chk(to, value);
	__builtin_unreachable();
}
