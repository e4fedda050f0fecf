/*
 * glibc's _dl_find_object (2.35) finds an object without a lock.  The name in its link map is
 * copied piece by piece, because the object may be unloaded in between.
 */
#include "runtime/sample/elf/loader.h"

#include <gnu/lib-names.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"

#define PAGE_BYTES 4096UL

int (*loader_find_object)(void *address, struct dl_find_object *object);

/* A direct reference would make us depend on ld.so, and could resolve to the program.  By libc's
 * handle the loader looks in libc and in its dependency ld.so. */
void *loader_libc_symbol(const char *name)
{
	void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);

	return libc ? dlsym(libc, name) : NULL;
}

bool loader_start(void)
{
	static bool asked;

	if (!asked)
		*(void **)&loader_find_object = loader_libc_symbol("_dl_find_object");
	asked = true;
	return loader_find_object;
}

static bool copy_text(char *to, size_t size, uint64_t from)
{
	size_t length = 0;

	while (length < size) {
		size_t bytes = PAGE_BYTES - (from + length) % PAGE_BYTES;

		if (bytes > size - length)
			bytes = size - length;
		if (!memory_copy(to + length, from + length, bytes))
			return false;
		if (memchr(to + length, 0, bytes))
			return true;
		length += bytes;
	}
	to[size - 1] = 0;
	return true;
}

bool loader_describe(const struct dl_find_object *object, uint64_t *bias, char *name, size_t size)
{
	struct link_map map;

	if (!memory_copy(&map, (uint64_t)object->dlfo_link_map, sizeof(map)))
		return false;
	*bias = map.l_addr;
	return copy_text(name, size, (uint64_t)map.l_name);
}

void loader_extent(const Elf64_Phdr *headers, unsigned count, uint64_t bias, uint64_t *start,
		   uint64_t *end)
{
	*start = UINT64_MAX;
	*end = 0;
	for (unsigned i = 0; i < count; i++) {
		uint64_t low = bias + headers[i].p_vaddr;

		if (headers[i].p_type != PT_LOAD)
			continue;
		if (low < *start)
			*start = low & ~(uint64_t)(PAGE_BYTES - 1);
		if (low + headers[i].p_memsz > *end)
			*end = low + headers[i].p_memsz;
	}
}
