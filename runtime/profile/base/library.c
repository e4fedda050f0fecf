/* A library that lacks one of the functions counts as absent. */
#include "runtime/profile/base/library.h"

#include <dlfcn.h>
#include <errno.h>

int library_open(const char *soname, const struct library_entry *entries)
{
	void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	for (; handle && entries->name; entries++)
		if (!(*entries->function = dlsym(handle, entries->name)))
			break;
	return handle && !entries->name ? 0 : -ELIBACC;
}
