/*
 * libc's own functions for what this library calls for itself, whatever the program or another
 * preloaded library has put under their names.  An interceptor (a sanitizer's, a tracer's) sees the
 * calls that the program makes and none of ours.
 *
 * Sources below preload/ use libc's names: those that are not interposed are defined here, hidden,
 * and lead to libc.  The others are fields to be called by libc_own()->NAME.
 * X(result, name, parameters, arguments)
 */
#ifndef PRELOAD_LIBC_LIBC_H
#define PRELOAD_LIBC_LIBC_H

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

#define LIBC_HIDDEN(X)                                                                            \
	X(int *, __errno_location, (void), ())                                                    \
	X(unsigned long, getauxval, (unsigned long type), (type))                                 \
	X(int, __libc_current_sigrtmin, (void), ())                                               \
	X(int, __libc_current_sigrtmax, (void), ())                                               \
	X(int, sigemptyset, (sigset_t * set), (set))                                              \
	X(int, sigaddset, (sigset_t * set, int signal), (set, signal))                            \
	X(int, sigdelset, (sigset_t * set, int signal), (set, signal))                            \
	X(int, sigismember, (const sigset_t *set, int signal), (set, signal))                     \
	/* The loader. */                                                                         \
	X(void *, dlopen, (const char *path, int mode), (path, mode))                             \
	X(void *, dlsym, (void *restrict handle, const char *restrict name), (handle, name))      \
	X(int, dladdr, (const void *address, Dl_info *info), (address, info))                     \
	X(int, dl_iterate_phdr,                                                                   \
	  (int (*each)(struct dl_phdr_info *, size_t, void *), void *context), (each, context))   \
	/* Threads. */                                                                            \
	X(pthread_t, pthread_self, (void), ())                                                    \
	X(int, pthread_key_create, (pthread_key_t * key, void (*end)(void *)), (key, end))        \
	X(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value))         \
	X(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t * attributes),               \
	  (thread, attributes))                                                                   \
	X(int, pthread_getattr_default_np, (pthread_attr_t * attributes), (attributes))           \
	X(int, pthread_attr_destroy, (pthread_attr_t * attributes), (attributes))                 \
	X(int, pthread_attr_getstack,                                                             \
	  (const pthread_attr_t *restrict attributes, void **restrict low,                        \
	   size_t *restrict bytes),                                                               \
	  (attributes, low, bytes))                                                               \
	X(int, pthread_attr_getstacksize,                                                         \
	  (const pthread_attr_t *restrict attributes, size_t *restrict bytes),                    \
	  (attributes, bytes))                                                                    \
	/* The ends of a process, and fork; libc's pthread_atfork and at_quick_exit call them. */ \
	X(int, __register_atfork,                                                                 \
	  (void (*before)(void), void (*parent)(void), void (*child)(void), void *object),        \
	  (before, parent, child, object))                                                        \
	X(int, __cxa_at_quick_exit, (void (*function)(void *), void *object), (function, object))

#define LIBC_OWN(X)                                                                            \
	X(int, clone, (int (*function)(void *), void *stack, int flags, void *argument, ...))  \
	X(int, sigaction, (int signal, const struct sigaction *action, struct sigaction *old)) \
	X(int, sigprocmask, (int how, const sigset_t *set, sigset_t *old))

#define LIBC_FIELD(result, name, parameters, ...) result(*name) parameters;

struct libc {
	LIBC_HIDDEN(LIBC_FIELD)
	LIBC_OWN(LIBC_FIELD)
};

/* All of them, looked up at the first call without a call of anything.  Context: any. */
const struct libc *libc_own(void);

#define LIBC_BETWEEN_MAX 64

/* What the loader has of one object for who looks for a name in it. */
struct libc_tables {
	const char *names;
	const ElfW(Sym) * symbols;
	const uint16_t *versions;
	const uint32_t *hash;
	uint64_t bias;
};

/* libc, and the objects in which the loader looks for a name after us and before libc. */
struct libc_scope {
	struct libc_tables libc;
	struct libc_tables between[LIBC_BETWEEN_MAX];
	unsigned count;
	bool known;  /* they are all of them */
	bool usable; /* libc was found */
};

/* Read where to look for names.  Context: any. */
void libc_scope_read(struct libc_scope *scope);

/* Libc's function of this name, in the version that programs are linked with today; NULL if there
 * is none.  *taken: another object in between defines it, or may do so.  Context: any. */
void *libc_scope_find(const struct libc_scope *scope, const char *name, bool *taken);

/* Is libc among the libraries that the program or its libraries ask for (DT_NEEDED)?  Without us it
 * would not be there otherwise, and signals and threads would be made past it.  Context: init. */
bool libc_is_used(void);

/* glibc's, declared nowhere: pthread_atfork(3) and at_quick_exit(3) for one object, by its
 * handle.  Both return 0 or an error.  Context: init. */
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
		      void *object);
int __cxa_at_quick_exit(void (*function)(void *), void *object);

#endif
