/*
 * All names are looked up together, once, and kept in one table. libc's own definition is found
 * in libc's symbol table; dlsym is called only where another object between us and libc defines
 * the name as well.
 */
#include "preload/libc/real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/libc/libc.h"

#define REAL_LOOK_UP(result, name, parameters) \
	functions.name = (result(*) parameters)next(&scope, #name);

static struct real functions;
static _Atomic int ready;

long (*real_syscall)(long, ...);

/* The next definition is libc's own, as a rule: dlsym, which takes longer, is called where another
 * object has one.  It leaves a message where it finds nothing: dlerror(3) is the target's. */
static void *next(const struct libc_scope *scope, const char *name)
{
	bool taken;
	void *own = libc_scope_find(scope, name, &taken);

	return own && taken ? dlsym(RTLD_NEXT, name) : own;
}

bool real_is_ready(void)
{
	return atomic_load_explicit(&ready, memory_order_acquire);
}

/* Apart from real(), which is called on small stacks too. */
__attribute__((noinline)) static void look_up(void)
{
	struct libc_scope scope;

	libc_scope_read(&scope);
	INTERPOSED(REAL_LOOK_UP)
	real_syscall = functions.syscall;
	atomic_store_explicit(&ready, 1, memory_order_release);
}

const struct real *real(void)
{
	/* Two threads may both look up: they write the same values. */
	if (!real_is_ready())
		look_up();
	return &functions;
}
