/*
 * The program's memory that, without us, only the kernel would read, if anybody: a pointer for
 * which it returns EFAULT, or a string of the environment that was unmapped since.  Our read must
 * not crash the program.
 *
 * Context of all: any.  They make one system call for each page.  In a thread in which we make no
 * system calls, no page counts as readable.
 */
#ifndef PRELOAD_LIBC_READABLE_H
#define PRELOAD_LIBC_READABLE_H

#include <stdbool.h>
#include <stddef.h>

/* True if all `bytes` at `at` are readable. */
bool readable_bytes(const void *at, size_t bytes);

/* True if a string is, with the NUL at its end. */
bool readable_string(const char *text);

/* True if a list that ends in NULL is readable, and each of its strings with the NUL at its end. */
bool readable_strings(char *const list[]);

#endif
