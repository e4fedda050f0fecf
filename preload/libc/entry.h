/*
 * Functions of libc that cannot be called from a frame of ours: the loader's look at their caller
 * to find RUNPATH, the namespace and the next object, and the others return a second time to it,
 * vfork and the system calls of its kind on a stack that the child has used meanwhile.  So the
 * machine's file has an assembly entry for each, which calls a function below and jumps to the
 * function that this returns, with all arguments as they were: the next definition of the name.
 */
#ifndef PRELOAD_LIBC_ENTRY_H
#define PRELOAD_LIBC_ENTRY_H

#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>

/* The names whose entries all have one form: X(NAME). */
#define ENTRIES(X)     \
	X(dlopen)      \
	X(dlmopen)     \
	X(dlsym)       \
	X(dlvsym)      \
	X(__sigsetjmp) \
	X(setjmp)      \
	X(getcontext)  \
	X(vfork)

#pragma GCC visibility push(hidden)

/* Before an object is loaded, or a symbol is looked up: calls/load_calls.c.  Context: any. */
void *entry_dlopen(const char *path, int mode);
void *entry_dlmopen(Lmid_t space, const char *path, int mode);
void *entry_dlsym(void);
void *entry_dlvsym(void);

/* Before the thread's mask is saved in a buffer: signals/context_calls.c.  Context: any. */
void *entry___sigsetjmp(struct __jmp_buf_tag *to, int save);
void *entry_setjmp(struct __jmp_buf_tag *to);
void *entry_getcontext(ucontext_t *context);

/* Before a child that shares our memory is created: signals/sharing_calls.c.  Context: thread. */
void *entry_vfork(void);

/* syscall for all numbers but those whose calls return twice, which jump to libc's function:
 * calls/sandbox_calls.c.  Context: any. */
long entry_syscall(long number, ...);

#pragma GCC visibility pop

#endif
