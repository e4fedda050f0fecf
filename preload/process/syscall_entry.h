/*
 * syscall(2) as the target calls it.  A call that returns twice must not return through a frame
 * of ours: the child of SYS_vfork or SYS_clone shares its parent's stack, returns first, and
 * what it calls next overwrites that frame.  So syscall is a few instructions that jump: to
 * libc's for such numbers, else to syscall_pass.
 */
#ifndef PRELOAD_PROCESS_SYSCALL_ENTRY_H
#define PRELOAD_PROCESS_SYSCALL_ENTRY_H

/* What syscall does for all calls that return once.  Context: any. */
long syscall_pass(long number, ...) __attribute__((visibility("hidden")));

#endif
