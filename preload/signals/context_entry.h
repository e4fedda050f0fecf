/*
 * setjmp, sigsetjmp and getcontext return a second time to their caller.  No frame of ours may lie
 * between the caller and libc, so the architecture's file has an assembly entry for each that ends
 * in a jump to libc's function.
 */
#ifndef PRELOAD_SIGNALS_CONTEXT_ENTRY_H
#define PRELOAD_SIGNALS_CONTEXT_ENTRY_H

#include <setjmp.h>
#include <ucontext.h>

#define CONTEXT_LOCAL __attribute__((visibility("hidden")))

typedef int context_save_jump(struct __jmp_buf_tag *, int);
typedef int context_set_jump(struct __jmp_buf_tag *);
typedef int context_get(ucontext_t *);

/* Prepare for one of these functions to save the thread's mask in the given buffer.  Return
 * libc's function, to which the entry jumps.  Context: any. */
context_save_jump *context_enter_sigsetjmp(struct __jmp_buf_tag *to, int save) CONTEXT_LOCAL;
context_set_jump *context_enter_setjmp(struct __jmp_buf_tag *to) CONTEXT_LOCAL;
context_get *context_enter_getcontext(ucontext_t *context) CONTEXT_LOCAL;

#endif
