/*
 * All names are looked up once, in the symbol tables of the objects after us.  dlsym is called only
 * if an object between us and libc has a function that chooses one, or if too many lie in between.
 */
#include "preload/libc/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/libc/libc.h"
#include "runtime/sample/sys/sys.h"

#define REAL_LOOK_UP(result, name, parameters, absent) \
	functions.name = (result(*) parameters)next(&scope, #name, (void *)(absent));

static struct real functions;
static _Atomic int ready;
static bool more_may_come; /* libpthread or libdl is not loaded, and libc lacks their functions */

long (*real_syscall)(long, ...);

/* For functions that are nowhere.  A program can only ask for them at run time, or have them
 * weak. */
static long absent(void)
{
	errno = ENOSYS;
	return -1;
}

static int absent_number(void)
{
	return ENOSYS;
}

static void *absent_pointer(void)
{
	errno = ENOSYS;
	return NULL;
}

static int absent_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return functions.sigprocmask(how, set, old) ? errno : 0;
}

/* As the loader ends a program that calls what is not there. */
static void absent_jump(void)
{
	sys_exit(127);
}

/* The next definition, usually libc's own.  If dlsym found nothing, it would leave a message in
 * dlerror(3), which is the target's. */
static void *next(const struct libc_scope *scope, const char *name, void *absent_one)
{
	bool ask;
	void *own = libc_scope_find(scope, name, &ask);
	void *asked = own && ask ? libc_dlsym(RTLD_NEXT, name) : NULL;

	if (asked)
		return asked;
	return own ? own : absent_one;
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
	more_may_come = (void *)functions.pthread_create == (void *)absent_number ||
			(void *)functions.dlclose == (void *)absent;
	atomic_store_explicit(&ready, 1, memory_order_release);
}

const struct real *real(void)
{
	/* Two threads may both look them up: they write the same values. */
	if (!real_is_ready())
		look_up();
	return &functions;
}

const struct real *real_now(void)
{
	if (real_is_ready() && more_may_come) {
		libc_own_again();
		look_up();
	}
	return real();
}
