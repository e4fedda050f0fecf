/*
 * What the loader knows of an object, read with care: another thread may be unloading it, and what
 * _dl_find_object points at is freed then.
 */
#ifndef RUNTIME_SAMPLE_LOADER_H
#define RUNTIME_SAMPLE_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dl_find_object;

/* By how much the object was moved from the addresses in its file, and the name it was loaded by,
 * cut to `size` bytes with its NUL.  False: it is gone.  Context: any. */
bool loader_describe(const struct dl_find_object *object, uint64_t *bias, char *name, size_t size);

#endif
