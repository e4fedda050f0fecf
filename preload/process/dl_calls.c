/*
 * dlclose: afterwards, rules and names of the unloaded objects are forgotten.  dlopen is not
 * interposed: the loader looks at its caller to find RUNPATH, and a wrapper would break that.
 */
#include <dlfcn.h>
#include <errno.h>

#include "preload/libc/real.h"
#include "runtime/sample/pending_watch.h"
#include "runtime/sample/session.h"
#include "runtime/sample/spool/module.h"
#include "runtime/sample/unwind/unwind.h"

int dlclose(void *handle)
{
	int result = real()->dlclose(handle);
	int saved = errno;

	if (session_is_here()) {
		pending_watch_sweep();
		if (module_sweep(session.modules))
			unwind_forget();
	}
	errno = saved;
	return result;
}
