/*
 * Limits that the program sets on itself.
 */
#ifndef PRELOAD_PROCESS_LIMIT_CALLS_H
#define PRELOAD_PROCESS_LIMIT_CALLS_H

#include <sys/resource.h>

/* The program is about to set its own limit of a resource, a number of setrlimit(2).  Under a limit
 * on address space the spool is made smaller.  `limit` is the program's, and may be any address.
 * Context: any. */
void limit_calls_before(int resource, const struct rlimit *limit);

#endif
