/*
 * The exec family, as far as other files need it.
 */
#ifndef PRELOAD_PROCESS_EXEC_H
#define PRELOAD_PROCESS_EXEC_H

/* syscall(2) with SYS_execve or SYS_execveat and its six arguments: `file` points to those of the
 * path, argv and envp, and `directory` is what a relative path starts from.  Returns what syscall
 * returns, with its errno.  Context: any, a vfork child included. */
long exec_by_number(long number, const long argument[6], int directory, const long file[3]);

#endif
