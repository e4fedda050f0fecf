/*
 * A preloaded library that loads the same parts for unwinding as ours, in the same way, and does
 * nothing with them.
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
