/* A direct reference would make us depend on ld.so, and could resolve to the program.  By libc's
 * handle the loader looks in libc and in its dependency ld.so. */
#include "runtime/sample/elf/libc_symbol.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <stddef.h>

void *libc_symbol(const char *name)
{
	void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);

	return libc ? dlsym(libc, name) : NULL;
}
