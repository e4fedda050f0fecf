/*
 * Memory of the program's that we read where, without us, nobody or only the kernel would: a
 * pointer that the kernel answers with EFAULT, or what putenv(3) left in the environment and was
 * unmapped since.  No read of ours may be its end.
 *
 * Context of all: any; a system call for each page, which none is where the thread makes none.
 */
#ifndef PRELOAD_LIBC_READABLE_H
#define PRELOAD_LIBC_READABLE_H

#include <stdbool.h>
#include <stddef.h>

/* All bytes of it. */
bool readable_bytes(const void *at, size_t bytes);

/* A list that ends in NULL, and each of its strings with the NUL at its end. */
bool readable_strings(char *const list[]);

#endif
