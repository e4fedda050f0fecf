/*
 * The names of libc that libflametrap.so takes the place of and passes on to.  Names that are
 * expressed by these (execl, _Exit, sigblock, …) are only in exports.map, which lists all.
 * X(result, name, parameters)
 */
#ifndef PRELOAD_INTERPOSED_H
#define PRELOAD_INTERPOSED_H

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/types.h>
#include <threads.h>

typedef void (*interposed_handler)(int);

#define INTERPOSED(X)                                                                            \
	/* A thread's counters are opened when it starts. */                                     \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) \
	X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                    \
	/* An overflow pending across exec would kill the new image; what it inherits must be    \
	 * what the target set. */                                                               \
	X(int, execve, (const char *, char *const[], char *const[]))                             \
	X(int, execv, (const char *, char *const[]))                                             \
	X(int, execvp, (const char *, char *const[]))                                            \
	X(int, execvpe, (const char *, char *const[], char *const[]))                            \
	X(int, fexecve, (int, char *const[], char *const[]))                                     \
	X(int, execveat, (int, const char *, char *const[], char *const[], int))                 \
	X(int, posix_spawn,                                                                      \
	  (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, \
	   char *const[], char *const[]))                                                        \
	X(int, posix_spawnp,                                                                     \
	  (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, \
	   char *const[], char *const[]))                                                        \
	X(int, system, (const char *))                                                           \
	X(FILE *, popen, (const char *, const char *))                                           \
	/* Ways out that run no destructors. */                                                  \
	X(void, _exit, (int))                                                                    \
	/* Our signal stays handled and unmasked; the target reads back what it set. */          \
	X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                   \
	X(int, sigprocmask, (int, const sigset_t *, sigset_t *))                                 \
	X(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))                             \
	X(int, sigaltstack, (const stack_t *, stack_t *))                                        \
	X(interposed_handler, signal, (int, interposed_handler))                                 \
	X(interposed_handler, sysv_signal, (int, interposed_handler))                            \
	X(interposed_handler, sigset, (int, interposed_handler))                                 \
	X(int, sighold, (int))                                                                   \
	X(int, sigrelse, (int))                                                                  \
	X(int, sigignore, (int))                                                                 \
	X(int, siginterrupt, (int, int))                                                         \
	/* A sandbox that kills for a system call would kill for one of ours. */                 \
	X(int, prctl, (int, ...))                                                                \
	X(long, syscall, (long, ...))                                                            \
	/* Unwind rules and names of an unloaded library are no longer true. */                  \
	X(int, dlclose, (void *))                                                                \
	/* Code that is mapped a second time has a name as long as it is mapped. */              \
	X(int, munmap, (void *, size_t))

#endif
