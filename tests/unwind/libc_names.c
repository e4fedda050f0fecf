/* The loader's functions, by the names by which objects of the library call libc's (Makefile). */
#include <dlfcn.h>

void *libc_dlopen(const char *path, int mode);
void *libc_dlsym(void *restrict handle, const char *restrict name);

void *libc_dlopen(const char *path, int mode)
{
	return dlopen(path, mode);
}

void *libc_dlsym(void *restrict handle, const char *restrict name)
{
	return dlsym(handle, name);
}
