/*
 * The memory of this process, which the kernel counts as a program's: what a process had before
 * exec belongs to its greatest resident size (getrusage(2)), and a child made by vfork has ours.
 */
#ifndef RUNTIME_COMMAND_AB_OWN_MEMORY_H
#define RUNTIME_COMMAND_AB_OWN_MEMORY_H

#include <stdint.h>

/* Give back what is free and what can be read again from files, and return our size in KiB: a
 * program that is started now has at least that as its ru_maxrss, whatever it needs.  UINT64_MAX if
 * it is not known. */
uint64_t own_memory_kib(void);

#endif
