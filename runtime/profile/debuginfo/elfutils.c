/* Nothing is ever unloaded: pointers that elfutils returned are valid as long as the process. */
#include "runtime/profile/debuginfo/elfutils.h"

#include <stdbool.h>

#include "runtime/profile/base/sigbus_guard.h"
#include "runtime/profile/base/library.h"

#define LIBRARY_DW  "libdw.so.1"
#define LIBRARY_ELF "libelf.so.1"

#define ENTRY(name) { #name, (void **)&elfutils.name },

struct elfutils elfutils;

int elfutils_open(void)
{
	static const struct library_entry dw[] = { ELFUTILS_DW(ENTRY){ 0 } };
	static const struct library_entry elf[] = { ELFUTILS_ELF(ENTRY){ 0 } };
	static bool tried;
	static int err;

	if (tried)
		return err;
	tried = true;
	err = library_open(LIBRARY_DW, dw);
	if (!err)
		err = library_open(LIBRARY_ELF, elf);
	if (!err)
		sigbus_guard(); /* libelf maps what it reads */
	return err;
}
