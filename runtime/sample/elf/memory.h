/*
 * Reads memory that may disappear: the tables of a library that another thread unloads, pages that
 * the target unmaps or protects.  A load of our own would fault, in a handler with all signals
 * blocked; process_vm_readv(2) on this process returns EFAULT instead.
 */
#ifndef RUNTIME_SAMPLE_ELF_MEMORY_H
#define RUNTIME_SAMPLE_ELF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code that reads memory by address alone must not be instrumented by the sanitizers. */
#define MEMORY_RAW __attribute__((no_sanitize("address"), no_sanitize("undefined")))

#define MEMORY_LOWEST 65536ULL /* vm.mmap_min_addr */

/* Learn the id of this process, which the kernel needs to find the memory to read.  Context:
 * init. */
void memory_start(void);

/* True if a read of one byte in the page of address would succeed: rt_sigprocmask(2) with an
 * operation that does not exist copies the set first, then refuses.  Context: any. */
bool memory_is_readable(uint64_t address);

/* Like memory_is_readable(), for `bytes` bytes, 1 to a page: one system call, or two if they lie on
 * two pages.  Context: any. */
bool memory_is_readable_for(uint64_t address, size_t bytes);

/* Copy the present bytes at `address`, at most a page.  False, and *to undefined, if not all of it
 * can be read.  Where the kernel refuses process_vm_readv (a sandbox, an emulator), the pages are
 * probed and then read.  Context: any. */
bool memory_copy(void *to, uint64_t address, size_t bytes);

#define MEMORY_PIECES 24

/* Likewise `bytes` bytes at each of up to MEMORY_PIECES addresses, one after the other, in one
 * system call.  Context: any. */
bool memory_copy_pieces(void *to, const uint64_t *address, unsigned count, size_t bytes);

struct iovec;

/* Copy `count` pieces, from[i] to to[i] of the same size, in one system call.  Returns how many
 * bytes were copied before the first one that cannot be read; 0 where the kernel refuses.
 * Context: any. */
size_t memory_copy_vector(const struct iovec *to, const struct iovec *from, unsigned count);

#endif
