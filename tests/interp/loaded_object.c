/* The object is the one that the loader finds the symbol in. */
#include "tests/interp/loaded_object.h"

#include "runtime/sample/elf/elf_dynamic.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "tests/support/libc.h"

static struct elf_dynamic dynamic;

bool interp_object_symbol(const struct interp_object *object, const char *name, uint64_t *address,
			  uint64_t *bytes)
{
	struct elf_dynamic_symbol symbol;

	if (dynamic.start != object->start &&
	    !elf_dynamic_open(&dynamic, object->start, object->end))
		return false;
	if (!elf_dynamic_find(&dynamic, name, &symbol))
		return false;
	*address = symbol.address;
	*bytes = symbol.bytes;
	return true;
}

static int find_object(struct dl_phdr_info *info, size_t bytes, void *argument)
{
	struct interp_object *object = argument;
	uint64_t start, end;

	(void)bytes;
	loader_extent(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &start, &end);
	if (object->bias < start || object->bias >= end)
		return 0;
	*object = (struct interp_object){ start, end, info->dlpi_addr };
	return 1;
}

bool loaded_object_find(const char *mark, struct interp_object *object)
{
	void *at = dlsym(RTLD_DEFAULT, mark);

	*object = (struct interp_object){ .bias = (uint64_t)(uintptr_t)at };
	return at && dl_iterate_phdr(find_object, object);
}
