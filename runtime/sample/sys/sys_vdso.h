/*
 * Functions of the library that the kernel maps into every process (vdso(7)), found without libc,
 * whose functions of the same purpose anybody may have put others in the place of.
 */
#ifndef RUNTIME_SAMPLE_SYS_SYS_VDSO_H
#define RUNTIME_SAMPLE_SYS_SYS_VDSO_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the image that its program headers speak of; 0 if it is none.  `image` is page-aligned,
 * and its first page is there (getauxval(3), AT_SYSINFO_EHDR).  Context: any. */
size_t sys_vdso_bytes(const void *image);

/* Address of a function in an image of that many bytes, none of which need be right; 0: it has
 * none of that name.  Context: any. */
uint64_t sys_vdso_find(const void *image, size_t bytes, const char *name);

#endif
