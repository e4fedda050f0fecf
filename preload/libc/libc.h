/*
 * libc's own functions for this library's own calls, even if the program or another preloaded
 * library defines functions of the same names.  An interceptor (a sanitizer's, a tracer's) sees the
 * program's calls and none of ours.
 *
 * Sources in the rooms below preload/ use libc's names.  Names that are not interposed are defined
 * here, hidden, and call libc's function.  The others are fields, called by libc_own()->NAME.
 *
 * Before glibc 2.34, libpthread.so.0 and libdl.so.2, which not every program loads, had some of the
 * functions.  One that is nowhere has the result `absent`. X(result, name, parameters, arguments,
 * absent)
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

/* Without one of these nothing is sampled. */
#define LIBC_NEEDED(X)                                                                             \
	X(unsigned long, getauxval, (unsigned long type), (type), 0)                               \
	X(int, __libc_current_sigrtmin, (void), (), 0)                                             \
	X(int, __libc_current_sigrtmax, (void), (), 0)                                             \
	X(int, sigemptyset, (sigset_t * set), (set), -1)                                           \
	X(int, sigaddset, (sigset_t * set, int signal), (set, signal), -1)                         \
	X(int, sigdelset, (sigset_t * set, int signal), (set, signal), -1)                         \
	X(int, sigismember, (const sigset_t *set, int signal), (set, signal), -1)                  \
	X(int, dl_iterate_phdr,                                                                    \
	  (int (*each)(struct dl_phdr_info *, size_t, void *), void *context), (each, context), 0) \
	/* Fork, and ends of a process; libc's pthread_atfork, atexit, at_quick_exit call them. */ \
	X(int, __register_atfork,                                                                  \
	  (void (*before)(void), void (*parent)(void), void (*child)(void), void *object),         \
	  (before, parent, child, object), ENOSYS)                                                 \
	X(int, __cxa_atexit, (void (*function)(void *), void *argument, void *object),             \
	  (function, argument, object), -1)                                                        \
	X(int, __cxa_at_quick_exit, (void (*function)(void *), void *object), (function, object),  \
	  -1)

/* Threads.  Where these are absent there are none, or none yet. */
#define LIBC_THREADS(X)                                                                           \
	X(pthread_t, pthread_self, (void), (), 0)                                                 \
	X(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value), ENOSYS) \
	X(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t * attributes),               \
	  (thread, attributes), ENOSYS)                                                           \
	X(int, pthread_getattr_default_np, (pthread_attr_t * attributes), (attributes), ENOSYS)   \
	X(int, pthread_attr_destroy, (pthread_attr_t * attributes), (attributes), ENOSYS)         \
	X(int, pthread_attr_getstack,                                                             \
	  (const pthread_attr_t *restrict attributes, void **restrict low,                        \
	   size_t *restrict bytes),                                                               \
	  (attributes, low, bytes), ENOSYS)                                                       \
	X(int, pthread_attr_getstacksize,                                                         \
	  (const pthread_attr_t *restrict attributes, size_t *restrict bytes),                    \
	  (attributes, bytes), ENOSYS)                                                            \
	X(int, dladdr, (const void *address, Dl_info *info), (address, info), 0)

/* Fields alone.  The first four are needed, too; libc_dlopen() calls dlopen.  Keys of
 * threads: both are there, or none is. */
#define LIBC_OWN(X)                                                                            \
	X(int *, __errno_location, (void))                                                     \
	X(int, clone, (int (*function)(void *), void *stack, int flags, void *argument, ...))  \
	X(int, sigaction, (int signal, const struct sigaction *action, struct sigaction *old)) \
	X(int, sigprocmask, (int how, const sigset_t *set, sigset_t *old))
#define LIBC_KEYS(X)                                                           \
	X(int, pthread_key_create, (pthread_key_t * key, void (*end)(void *))) \
	X(int, pthread_key_delete, (pthread_key_t key))
#define LIBC_LOADER(X)                                                                      \
	X(void *, dlopen, (const char *path, int mode))                                     \
	X(void *, dlsym, (void *restrict handle, const char *restrict name))                \
	X(void *, dlmopen, (Lmid_t space, const char *path, int mode))                      \
	X(void *, dlvsym,                                                                   \
	  (void *restrict handle, const char *restrict name, const char *restrict version)) \
	X(void *, __libc_dlopen_mode, (const char *path, int mode)) /* to 2.33 */

#define LIBC_FIELD(result, name, parameters, ...) result(*name) parameters;

struct libc {
	LIBC_NEEDED(LIBC_FIELD)
	LIBC_THREADS(LIBC_FIELD)
	LIBC_OWN(LIBC_FIELD)
	LIBC_KEYS(LIBC_FIELD)
	LIBC_LOADER(LIBC_FIELD)
};

extern int libc_no_errno; /* takes the place of errno where libc has none */

/* All of them.  The first call looks them up without calling a function of another object.
 * Context: any. */
const struct libc *libc_own(void);

/* Look them up again: a library that has some of them was loaded.  Context: any. */
void libc_own_again(void);

/* Returns the name of a function without which nothing can be sampled and which is nowhere, or
 * NULL if all are there.  Context: any. */
const char *libc_lacks(void);

/* True if libc is older than 2.34 and we were built with a later one: programs of that build, such
 * as the command, do not run with it.  Context: any. */
bool libc_is_old(void);

/* Returns the path by which the loader opened this library, or NULL.  Context: any. */
const char *libc_path_of_us(void);

#define LIBC_BETWEEN_MAX 64
#define LIBC_HOMES_MAX	 4 /* libc, and the libraries that had parts of it */

/* The loader's tables of one object, in which a name is looked up. */
struct libc_tables {
	const char *names;
	const ElfW(Sym) * symbols;
	const uint16_t *versions; /* NULL if its names have none */
	const uint32_t *hash;
	uint64_t bias;
	bool usable;
};

/* libc, and the objects in which the loader searches for a name after us and before libc. */
struct libc_scope {
	struct libc_tables home[LIBC_HOMES_MAX];
	struct libc_tables between[LIBC_BETWEEN_MAX];
	unsigned count;
	bool known; /* all of them are in `between` */
};

/* Read where names are to be looked up.  Context: any. */
void libc_scope_read(struct libc_scope *scope);

/* The next function of this name, in the version that programs are linked with today, or NULL if
 * there is none.  *ask is true if the result is libc's and the loader must be asked whether an
 * object in between has another one.  Context: any. */
void *libc_scope_find(const struct libc_scope *scope, const char *name, bool *ask);

/* What the object, one in the loader's list, or else the loader itself exports by this name; NULL
 * if neither does.  Context: any. */
void *libc_find_in(const struct link_map *map, const char *name);

/* The object of the loader's list that gives itself this name, or NULL.  Context: any. */
const struct link_map *libc_object(const char *name);

/* dlopen(3) and dlsym(3) for the rooms below preload/, which call them by these names (Makefile).
 */
void *libc_dlopen(const char *path, int mode);
void *libc_dlsym(void *restrict handle, const char *restrict name);

/* The tables of the libc in the namespace (dlmopen(3)) whose list begins with this object. Context:
 * any. */
bool libc_of_space(const struct link_map *first, struct libc_tables *libc);

/* The tables of this library and of libc.  False if they cannot be read.  Context: any. */
bool libc_scopes_of_us(struct libc_tables *ours, struct libc_tables *libc);

/* An object's function of this name, or NULL.  Context: any. */
void *libc_tables_find(const struct libc_tables *tables, const char *name);

/* True if an object that looks for a name first in itself and in what it needs (RTLD_DEEPBIND)
 * finds libc's, and if all others find ours.  Context: any. */
bool libc_comes_first(const struct link_map *map, const char *name);

/* True if the program or its libraries need libc (DT_NEEDED).  If not, libc is there only because
 * of us, and the program makes signals and threads without it.  Context: init. */
bool libc_is_used(void);

/* Declared in no header: pthread_atfork(3), atexit(3) and at_quick_exit(3) for one object, by its
 * handle, or for none.  All return 0 or an error.  Context: init. */
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
		      void *object);
int __cxa_atexit(void (*function)(void *), void *argument, void *object);
int __cxa_at_quick_exit(void (*function)(void *), void *object);

#endif
