/* A C library without _dl_find_object, as glibc was before 2.35: linked with --wrap=dlsym. */
#include "tests/support/libc.h"

void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name);

void *__wrap_dlsym(void *handle, const char *name)
{
	return strcmp(name, "_dl_find_object") ? __real_dlsym(handle, name) : NULL;
}
