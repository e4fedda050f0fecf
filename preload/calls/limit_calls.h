/*
 * Limits that the program sets on itself.
 */
#ifndef PRELOAD_CALLS_LIMIT_CALLS_H
#define PRELOAD_CALLS_LIMIT_CALLS_H

#include <sys/resource.h>
#include <sys/types.h>

/* The program is about to set the limit of a resource, a number of setrlimit(2), for a process; 0:
 * itself.  Under a limit on its own address space the spool is made smaller.  `limit` is the
 * program's, and may be any address.  Context: any. */
void limit_calls_before(pid_t pid, int resource, const struct rlimit *limit);

#endif
