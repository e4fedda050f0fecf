/*
 * What the loader knows of an object, read with care: another thread may be unloading it, and what
 * _dl_find_object points at is freed then.
 */
#ifndef RUNTIME_SAMPLE_ELF_LOADER_H
#define RUNTIME_SAMPLE_ELF_LOADER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dl_find_object;

/* _dl_find_object(3): 0 with what is loaded at an address, or -1.  Context: any. */
typedef int loader_find(void *address, struct dl_find_object *object);

/* The loader's own; NULL before glibc 2.35.  Asked for once: in a fork's child the loader may be
 * for ever in the middle of another thread's dlopen(3), and ends who asks it.  Context: init, later
 * any. */
loader_find *loader_find_object(void);

/* By how much the object was moved from the addresses in its file, and the name it was loaded by,
 * cut to `size` bytes with its NUL.  False: it is gone.  Context: any. */
bool loader_describe(const struct dl_find_object *object, uint64_t *bias, char *name, size_t size);

/* From where to where program headers say that an object is mapped, holes included, when it was
 * moved by `bias`.  *start begins a page; *end is one past the last byte; where nothing is mapped,
 * *start is above *end.  Context: any. */
void loader_extent(const Elf64_Phdr *headers, unsigned count, uint64_t bias, uint64_t *start,
		   uint64_t *end);

#endif
