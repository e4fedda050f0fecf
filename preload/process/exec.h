/*
 * The part of the exec family that other files need.
 */
#ifndef PRELOAD_PROCESS_EXEC_H
#define PRELOAD_PROCESS_EXEC_H

/* syscall(2) with SYS_execve or SYS_execveat and its six arguments.  `file` points to the
 * arguments path, argv and envp.  `directory` is the start of a relative path.  Returns the
 * result of the call, with its errno.  Context: any, a vfork child included. */
long exec_by_number(long number, const long argument[6], int directory, const long file[3]);

#endif
