/*
 * Functions of the library that the kernel maps into every process (vdso(7)), found without libc,
 * because libc's lookup functions may be interposed.
 */
#ifndef RUNTIME_SAMPLE_SYS_SYS_VDSO_H
#define RUNTIME_SAMPLE_SYS_SYS_VDSO_H

#include <stddef.h>
#include <stdint.h>

/* Returns the bytes of the image that its program headers cover; 0 if it is not an image.  `image`
 * is page-aligned, and its first page is mapped (getauxval(3), AT_SYSINFO_EHDR).  Context: any. */
size_t sys_vdso_bytes(const void *image);

/* Returns the address of a function in an image of that many bytes, which may hold anything.  0:
 * there is no such function.  Context: any. */
uint64_t sys_vdso_find(const void *image, size_t bytes, const char *name);

#endif
