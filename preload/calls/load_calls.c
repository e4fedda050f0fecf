/*
 * dlopen, dlmopen, dlsym, dlvsym.  The loader looks at its caller to find RUNPATH, the namespace
 * and the next object, so that no frame of ours may lie between: the architecture's file has an
 * entry for each that jumps to libc's function.  What is to be done comes before.
 *
 * A plugin that is bound past us (RTLD_DEEPBIND, dlmopen) is reached by dlsym, at which its slots
 * are set: bindings.h.  Allocators call dlsym at their first use, so nothing is looked up that is
 * not known.
 */
#include "preload/calls/load_entry.h"

#include <dlfcn.h>

#include "preload/libc/bindings.h"
#include "preload/libc/libc.h"
#include "preload/libc/real.h"
#include "preload/calls/space.h"

/* The next definition, once it is known. */
#define NEXT(name) (real_is_ready() && real()->name ? real()->name : libc_own()->name)

load_open *load_enter_dlopen(const char *path, int mode)
{
	if (path && mode & RTLD_DEEPBIND)
		bindings_expect();
	return NEXT(dlopen);
}

load_open_in *load_enter_dlmopen(Lmid_t space, const char *path, int mode)
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

load_symbol *load_enter_dlsym(void)
{
	look();
	return NEXT(dlsym);
}

load_version *load_enter_dlvsym(void)
{
	look();
	return NEXT(dlvsym);
}
