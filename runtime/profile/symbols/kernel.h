/* Names of the running kernel's functions, from /proc/kallsyms. */
#ifndef RUNTIME_PROFILE_SYMBOLS_KERNEL_H
#define RUNTIME_PROFILE_SYMBOLS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct kernel;
struct spool_header;

/* Read the kernel's symbols.  If they are hidden (kernel.kptr_restrict) or cannot be read, the
 * result knows no name.  Returns NULL when memory is out. */
struct kernel *kernel_new(void);
/* Like kernel_new(), but reads a file in the format of /proc/kallsyms. */
struct kernel *kernel_read(FILE *file);
void kernel_free(struct kernel *kernel);

/* Returns the function at an address, or NULL; owned by kernel. */
const char *kernel_find(const struct kernel *kernel, uint64_t address);

/* Returns the address of a function with that name, any one of several; 0 if none is known. */
uint64_t kernel_address(const struct kernel *kernel, const char *name);

/* Returns true for an address in the kernel's half, which means the same in every process. */
bool kernel_owns(uint64_t address);

/* Returns whether a spool was written on this machine and in this boot: kernel addresses mean
 * nothing elsewhere. */
bool kernel_is_same(const struct spool_header *header);

#endif
