/*
 * The loader's knowledge of an object, read with care: another thread may be unloading the object,
 * and the memory behind _dl_find_object's result is then freed.
 */
#ifndef RUNTIME_SAMPLE_ELF_LOADER_H
#define RUNTIME_SAMPLE_ELF_LOADER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dl_find_object;

/* _dl_find_object(3): 0 with the object at an address, or -1.  Context: any. */
typedef int loader_find(void *address, struct dl_find_object *object);

/* Returns the loader's own function; NULL before glibc 2.35.  It is looked up once.  In a fork's
 * child the loader may be stuck in the middle of another thread's dlopen(3), and then ends its
 * caller.  Context: init, later any. */
loader_find *loader_find_object(void);

/* Get the object's bias (its distance from the addresses in its file) and the name it was loaded
 * by, cut to `size` bytes with its NUL.  False: it is gone.  Context: any. */
bool loader_describe(const struct dl_find_object *object, uint64_t *bias, char *name, size_t size);

/* Get the bounds of an object's mappings, holes included, from its program headers, when it was
 * moved by `bias`.  *start begins a page; *end is one past the last byte.  If nothing is mapped,
 * *start is above *end.  Context: any. */
void loader_extent(const Elf64_Phdr *headers, unsigned count, uint64_t bias, uint64_t *start,
		   uint64_t *end);

#endif
