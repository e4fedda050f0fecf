/* A reference would make us depend on ld.so, and could end in the program.  By the handle of libc
 * the loader looks in libc and in what that needs: ld.so. */
#include "runtime/sample/elf/libc_symbol.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <stddef.h>

void *libc_symbol(const char *name)
{
	void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);

	return libc ? dlsym(libc, name) : NULL;
}
