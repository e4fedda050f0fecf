/*
 * dlopen, dlmopen, dlsym, dlvsym: what is to be done before them.
 *
 * A plugin that is bound past us (RTLD_DEEPBIND, dlmopen) is reached by dlsym, at which its slots
 * are set: bindings.h.  Allocators call dlsym at their first use, so nothing is looked up that is
 * not known.
 */
#include "preload/libc/bindings.h"
#include "preload/libc/entry.h"
#include "preload/libc/libc.h"
#include "preload/libc/real.h"
#include "preload/calls/space.h"

/* The next definition, once it is known. */
#define NEXT(name) ((void *)(real_is_ready() && real()->name ? real()->name : libc_own()->name))

void *entry_dlopen(const char *path, int mode)
{
	if (path && mode & RTLD_DEEPBIND)
		bindings_expect();
	return NEXT(dlopen);
}

void *entry_dlmopen(Lmid_t space, const char *path, int mode)
{
	if (path && (mode & RTLD_DEEPBIND || space != LM_ID_BASE))
		bindings_expect();
	return NEXT(dlmopen);
}

static void look(void)
{
	int saved = errno;

	bindings_look(space_function);
	errno = saved;
}

void *entry_dlsym(void)
{
	look();
	return NEXT(dlsym);
}

void *entry_dlvsym(void)
{
	look();
	return NEXT(dlvsym);
}
