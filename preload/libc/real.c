/*
 * All names are looked up once, together, and kept in one table.  libc's own definition is found
 * in libc's symbol table.  dlsym is called only if another object between us and libc also defines
 * the name.
 */
#include "preload/libc/real.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "preload/libc/libc.h"

#define REAL_LOOK_UP(result, name, parameters) \
	functions.name = (result(*) parameters)next(&scope, #name);

static struct real functions;
static _Atomic int ready;

long (*real_syscall)(long, ...);

/* The next definition, usually libc's own.  dlsym takes longer and is called only if another
 * object has one.  If dlsym found nothing, it would leave a message in dlerror(3), which is the
 * target's. */
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

/* Not inlined into real(), which is also called on small stacks. */
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
	/* Two threads may both look them up: they write the same values. */
	if (!real_is_ready())
		look_up();
	return &functions;
}
