#include "preload/real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#define REAL_LOOK_UP(result, name, parameters) \
	functions.name = (result(*) parameters)dlsym(RTLD_NEXT, #name);

static struct real functions;
static _Atomic int ready;

bool real_is_ready(void)
{
	return atomic_load_explicit(&ready, memory_order_acquire);
}

const struct real *real(void)
{
	/* Two threads may both look up: they write the same values. */
	if (!real_is_ready()) {
		INTERPOSED(REAL_LOOK_UP)
		atomic_store_explicit(&ready, 1, memory_order_release);
	}
	return &functions;
}
