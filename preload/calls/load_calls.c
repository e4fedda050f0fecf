/*
 * dlopen, dlmopen, dlsym, dlvsym: what is to be done before them.
 *
 * A plugin that is bound past us (RTLD_DEEPBIND, dlmopen) is reached by dlsym, at which its slots
 * are set: bindings.h.  Allocators call dlsym at their first use, so nothing is looked up that is
 * not known.
 *
 * A plugin in a namespace of its own (dlmopen(3)) has a libc of its own too, with its own errno,
 * environment, streams and threads.  So only calls that the kernel alone answers go through us,
 * those on the actions of signals and on masks, and errno is passed on to the plugin's libc.  Its
 * threads are made by its libc, which must know of them; they are not sampled, and the profile says
 * so.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/libc/bindings.h"
#include "preload/libc/entry.h"
#include "preload/libc/libc.h"
#include "preload/libc/real.h"
#include "runtime/sample/session/session.h"

#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

int __sigaction(int signal, const struct sigaction *action, struct sigaction *old);

static void pass_errno(uint64_t caller)
{
	struct libc_tables libc;
	int *(*location)(void) = NULL;

	if (bindings_libc_at(caller, &libc))
		*(void **)&location = libc_tables_find(&libc, "__errno_location");
	if (location)
		*location() = errno;
}

#define DEFINE_SPACE(result, name, parameters, arguments, failed) \
	static result space_##name parameters                     \
	{                                                         \
		int saved = errno;                                \
		result done = name arguments;                     \
                                                                  \
		if (done == (failed))                             \
			pass_errno(CALLER);                       \
		errno = saved;                                    \
		return done;                                      \
	}

#define ACTION_PARAMETERS (int number, const struct sigaction *action, struct sigaction *old)
#define MASK_PARAMETERS	  (int how, const sigset_t *set, sigset_t *old)

DEFINE_SPACE(int, sigaction, ACTION_PARAMETERS, (number, action, old), -1)
DEFINE_SPACE(int, __sigaction, ACTION_PARAMETERS, (number, action, old), -1)
DEFINE_SPACE(int, sigprocmask, MASK_PARAMETERS, (how, set, old), -1)
DEFINE_SPACE(int, pthread_sigmask, MASK_PARAMETERS, (how, set, old), -1)
DEFINE_SPACE(interposed_handler, signal, (int number, interposed_handler handler),
	     (number, handler), SIG_ERR)

typedef int create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument);

static int space_pthread_create(pthread_t *id, const pthread_attr_t *attributes,
				void *(*start)(void *), void *argument)
{
	struct libc_tables libc;
	create *next = NULL;

	if (bindings_libc_at(CALLER, &libc))
		*(void **)&next = libc_tables_find(&libc, "pthread_create");
	if (!next)
		return EAGAIN;
	if (session_is_here())
		session_spool_note("threads that a plugin in a namespace of its own made "
				   "(dlmopen) were not sampled");
	return next(id, attributes, start, argument);
}

/* What a plugin calls there in place of its libc's function of this name; NULL: libc's. */
static void *space_function(const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {
		{ "sigaction", (void *)space_sigaction },
		{ "__sigaction", (void *)space___sigaction },
		{ "sigprocmask", (void *)space_sigprocmask },
		{ "pthread_sigmask", (void *)space_pthread_sigmask },
		{ "signal", (void *)space_signal },
		{ "pthread_create", (void *)space_pthread_create },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	return NULL;
}

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
