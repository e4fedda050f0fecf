#include "preload/real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/libc.h"
#include "preload/syscall_entry.h"

#define REAL_LOOK_UP(result, name, parameters) functions.name = (result(*) parameters)next(#name);

static struct real functions;
static _Atomic int ready;

long (*syscall_real)(long, ...);

/* dlsym leaves a message where it finds nothing: dlerror(3) is the target's. */
static void *next(const char *name)
{
	return libc_defines(name) ? dlsym(RTLD_NEXT, name) : NULL;
}

bool real_is_ready(void)
{
	return atomic_load_explicit(&ready, memory_order_acquire);
}

const struct real *real(void)
{
	/* Two threads may both look up: they write the same values. */
	if (!real_is_ready()) {
		INTERPOSED(REAL_LOOK_UP)
		syscall_real = functions.syscall;
		atomic_store_explicit(&ready, 1, memory_order_release);
	}
	return &functions;
}
