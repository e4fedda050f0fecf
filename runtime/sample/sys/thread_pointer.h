/*
 * Whether errno and thread-local variables may be touched.  A task can have any thread pointer: one
 * of its own (clone(2), CLONE_SETTLS), none, or one that it has just set (arch_prctl(2)).  With
 * another than libc's, a thread-local variable is some other memory, or none.
 *
 * Context of all: any.
 */
#ifndef RUNTIME_SAMPLE_SYS_THREAD_POINTER_H
#define RUNTIME_SAMPLE_SYS_THREAD_POINTER_H

#include <stdbool.h>
#include <stdint.h>

/* True if the thread pointer is that of a thread of libc's.  Makes no system call in a thread that
 * was learned, where the processor lets it be read (x86-64: AT_HWCAP2, FSGSBASE; aarch64: always).
 * Elsewhere the kernel is asked as long as other pointers are expected. */
bool thread_pointer_is_known(void);

/* A task is about to get another pointer (more), or has ended (not more). */
void thread_pointer_expect(bool more);

/* For calls that are rare: where the processor does not tell, ask the kernel once, and expect other
 * pointers from now on if this is one. */
void thread_pointer_ask(void);

/* The calling thread is one of libc's, until it is forgotten.  Where there is no room for it, each
 * question costs a system call. */
void thread_pointer_learn(void);
void thread_pointer_forget(void);

/* From now on make no system call for this: a thread may not make any. */
void thread_pointer_keep_quiet(void);

/* The architecture's part.  read returns the thread pointer; by_call: where a system call is needed
 * for that, it is made, else the pointer is believed to be libc's.  looks returns true if what is
 * there looks like libc's record of a thread; `words` are the first three at that address. */
uint64_t thread_pointer_read(bool by_call);
bool thread_pointer_needs_call(void);
bool thread_pointer_looks(uint64_t pointer, const uint64_t words[3]);

#endif
