/* Calls of this room that programs also make by number: syscall(2) calls the same functions. */
#ifndef PRELOAD_CALLS_BY_NUMBER_H
#define PRELOAD_CALLS_BY_NUMBER_H

#include <sys/resource.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* The program is about to set the limit of a resource, a number of setrlimit(2), for a process; 0:
 * itself.  Under a limit on its own address space the spool is made smaller.  `limit` is the
 * program's, and may be any address.  Context: any. */
void by_number_limit(pid_t pid, int resource, const struct rlimit *limit);

/* Call before ptrace(2) with this request: ends sampling if the caller asks to be traced.  Context:
 * thread, a vfork child included. */
void by_number_trace(long request);

/* syscall(2) with SYS_execve or SYS_execveat and its six arguments.  `file` points to the
 * arguments path, argv and envp.  `directory` is the start of a relative path.  Returns the
 * result of the call, with its errno.  Context: any, a vfork child included. */
long by_number_exec(long number, const long argument[6], int directory, const long file[3]);

#pragma GCC visibility pop

#endif
