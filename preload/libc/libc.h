/*
 * libc's own functions for this library's own calls, even if the program or another preloaded
 * library defines functions of the same names.  An interceptor (a sanitizer's, a tracer's) sees the
 * program's calls and none of ours.
 *
 * Sources in the rooms below preload/ use libc's names.  Names that are not interposed are defined
 * here, hidden, and call libc's function.  The others are fields, called by libc_own()->NAME.
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

/* All of them.  The first call looks them up without calling a function of another object.
 * Context: any. */
const struct libc *libc_own(void);

#define LIBC_BETWEEN_MAX 64

/* The loader's tables of one object, in which a name is looked up. */
struct libc_tables {
	const char *names;
	const ElfW(Sym) * symbols;
	const uint16_t *versions;
	const uint32_t *hash;
	uint64_t bias;
};

/* libc, and the objects that the loader searches for a name after us and before libc. */
struct libc_scope {
	struct libc_tables libc;
	struct libc_tables between[LIBC_BETWEEN_MAX];
	unsigned count;
	bool known;  /* all of them are in `between` */
	bool usable; /* libc was found */
};

/* Read where names are to be looked up.  Context: any. */
void libc_scope_read(struct libc_scope *scope);

/* libc's function of this name, in the version that programs are linked with today, or NULL if
 * there is none.  *taken is true if another object in between defines the name, or may define
 * it.  Context: any. */
void *libc_scope_find(const struct libc_scope *scope, const char *name, bool *taken);

/* True if libc is among the libraries that the program or its libraries need (DT_NEEDED).  If it
 * is not, libc is there only because of us, and the program makes signals and threads without
 * it.  Context: init. */
bool libc_is_used(void);

/* Exported by glibc, but declared in no header: pthread_atfork(3) and at_quick_exit(3) for one
 * object, by its handle.  Both return 0 or an error.  Context: init. */
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
		      void *object);
int __cxa_at_quick_exit(void (*function)(void *), void *object);

#endif
