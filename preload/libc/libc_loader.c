/*
 * Before glibc 2.34, libdl.so.2 had dlopen and dlsym, which most programs do not load.  libc.so.6
 * then opens libraries by __libc_dlopen_mode, and names are found in the tables of the object: a
 * handle of glibc's is the object's entry in the loader's list.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "preload/libc/libc.h"

#define MODE_OF_DLOPEN 0x80000000U /* __RTLD_DLOPEN of glibc's include/dlfcn.h */

void *libc_dlopen(const char *path, int mode)
{
	const struct libc *libc = libc_own();

	if (libc->dlopen)
		return libc->dlopen(path, mode);
	if (mode & RTLD_NOLOAD)
		return (void *)libc_object(path);
	if (!libc->__libc_dlopen_mode)
		return NULL;
	return libc->__libc_dlopen_mode(path, (int)((unsigned)mode | MODE_OF_DLOPEN));
}

void *libc_dlsym(void *restrict handle, const char *restrict name)
{
	if (libc_own()->dlopen && libc_own()->dlsym)
		return libc_own()->dlsym(handle, name);
	return handle == RTLD_NEXT ? NULL : libc_find_in(handle, name);
}
