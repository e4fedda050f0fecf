/*
 * syscall(2) as the target calls it.  A call that returns twice must not return through a frame of
 * ours: the child of SYS_vfork or SYS_clone shares its parent's stack and returns first, and its
 * next call overwrites that frame.  So syscall consists of a few instructions that jump: to libc's
 * function for such numbers, and to syscall_pass for all others.
 */
#ifndef PRELOAD_CALLS_SYSCALL_ENTRY_H
#define PRELOAD_CALLS_SYSCALL_ENTRY_H

/* syscall for all calls that return once.  Context: any. */
long syscall_pass(long number, ...) __attribute__((visibility("hidden")));

#endif
