/*
 * setjmp, sigsetjmp and getcontext return a second time to where they were called: no frame of ours
 * may lie between, so the machine's file has an entry for each that jumps to libc's.
 */
#ifndef PRELOAD_SIGNALS_CONTEXT_ENTRY_H
#define PRELOAD_SIGNALS_CONTEXT_ENTRY_H

#include <setjmp.h>
#include <ucontext.h>

#define CONTEXT_LOCAL __attribute__((visibility("hidden")))

typedef int context_save_jump(struct __jmp_buf_tag *, int);
typedef int context_set_jump(struct __jmp_buf_tag *);
typedef int context_get(ucontext_t *);

/* The thread is about to save its mask by one of these: returns libc's.  Context: any. */
context_save_jump *context_enter_sigsetjmp(struct __jmp_buf_tag *to, int save) CONTEXT_LOCAL;
context_set_jump *context_enter_setjmp(struct __jmp_buf_tag *to) CONTEXT_LOCAL;
context_get *context_enter_getcontext(ucontext_t *context) CONTEXT_LOCAL;

#endif
