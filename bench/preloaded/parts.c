/*
 * A library that is preloaded and loads what ours does to unwind, in the same way, and does nothing
 * with it.
 */
#include <dlfcn.h>

#if defined(__x86_64__)
#define LIBRARY "libunwind-x86_64.so.8"
#elif defined(__aarch64__)
#define LIBRARY "libunwind-aarch64.so.8"
#endif

__attribute__((constructor)) static void load(void)
{
	dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}
