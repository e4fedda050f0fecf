/*
 * The functions of libc that libflametrap.so interposes.  Each calls the next definition of its own
 * name, which may be another interceptor's.  exports.map lists the names too.
 * X(result, name, parameters)
 */
#ifndef PRELOAD_LIBC_INTERPOSED_H
#define PRELOAD_LIBC_INTERPOSED_H

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/types.h>
#include <threads.h>
#include <ucontext.h>

struct epoll_event;

typedef void (*interposed_handler)(int);

#define INTERPOSED(X)                                                                             \
	/* Open a thread's counters when it starts. */                                            \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))  \
	X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                     \
	/* An overflow pending across exec would kill the new image.  The image must inherit the  \
	 * target's signal actions and mask. */                                                   \
	X(int, execve, (const char *, char *const[], char *const[]))                              \
	X(int, execv, (const char *, char *const[]))                                              \
	X(int, execvp, (const char *, char *const[]))                                             \
	X(int, execl, (const char *, const char *, ...))                                          \
	X(int, execlp, (const char *, const char *, ...))                                         \
	X(int, execle, (const char *, const char *, ...))                                         \
	X(int, execvpe, (const char *, char *const[], char *const[]))                             \
	X(int, fexecve, (int, char *const[], char *const[]))                                      \
	X(int, execveat, (int, const char *, char *const[], char *const[], int))                  \
	X(int, posix_spawn,                                                                       \
	  (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,  \
	   char *const[], char *const[]))                                                         \
	X(int, posix_spawnp,                                                                      \
	  (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,  \
	   char *const[], char *const[]))                                                         \
	X(int, system, (const char *))                                                            \
	X(FILE *, popen, (const char *, const char *))                                            \
	/* Process ends that run no destructors. */                                               \
	X(void, _exit, (int))                                                                     \
	X(void, _Exit, (int))                                                                     \
	/* A child that shares our memory has its own mask and pending signals. */                \
	X(pid_t, vfork, (void))                                                                   \
	X(int, clone, (int (*)(void *), void *, int, void *, ...))                                \
	/* Our signal stays handled and unblocked. The target reads back what it set. */          \
	X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                    \
	X(int, __sigaction, (int, const struct sigaction *, struct sigaction *))                  \
	X(int, sigprocmask, (int, const sigset_t *, sigset_t *))                                  \
	X(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))                              \
	X(int, sigaltstack, (const stack_t *, stack_t *))                                         \
	X(interposed_handler, signal, (int, interposed_handler))                                  \
	X(interposed_handler, bsd_signal, (int, interposed_handler))                              \
	X(interposed_handler, ssignal, (int, interposed_handler))                                 \
	X(interposed_handler, sysv_signal, (int, interposed_handler))                             \
	X(interposed_handler, __sysv_signal, (int, interposed_handler))                           \
	X(interposed_handler, sigset, (int, interposed_handler))                                  \
	X(int, sighold, (int))                                                                    \
	X(int, sigrelse, (int))                                                                   \
	X(int, sigignore, (int))                                                                  \
	X(int, siginterrupt, (int, int))                                                          \
	X(int, sigblock, (int))                                                                   \
	X(int, sigsetmask, (int))                                                                 \
	X(int, siggetmask, (void))                                                                \
	/* A thread that sleeps with another mask really has that mask.  Waits are only for the   \
	 * target's signals. */                                                                   \
	X(int, sigwait, (const sigset_t *, int *))                                                \
	X(int, sigwaitinfo, (const sigset_t *, siginfo_t *))                                      \
	X(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *))            \
	X(int, signalfd, (int, const sigset_t *, int))                                            \
	X(int, sigpending, (sigset_t *))                                                          \
	X(int, sigsuspend, (const sigset_t *))                                                    \
	X(int, __sigpause, (int, int))                                                            \
	X(int, __xpg_sigpause, (int))                                                             \
	X(int, sigpause, (int))                                                                   \
	X(int, pselect,                                                                           \
	  (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))         \
	X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))       \
	X(int, __ppoll_chk,                                                                       \
	  (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t))           \
	X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))              \
	X(int, epoll_pwait2,                                                                      \
	  (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))            \
	/* A sleep that a handler leaves by a jump does not return.  Saved masks are restored. */ \
	X(void, siglongjmp, (struct __jmp_buf_tag *, int))                                        \
	X(void, longjmp, (struct __jmp_buf_tag *, int))                                           \
	X(void, _longjmp, (struct __jmp_buf_tag *, int))                                          \
	X(void, __longjmp_chk, (struct __jmp_buf_tag *, int))                                     \
	X(int, __sigsetjmp, (struct __jmp_buf_tag *, int))                                        \
	X(int, setjmp, (struct __jmp_buf_tag *))                                                  \
	X(int, getcontext, (ucontext_t *))                                                        \
	X(int, setcontext, (const ucontext_t *))                                                  \
	X(int, swapcontext, (ucontext_t *, const ucontext_t *))                                   \
	/* A sandbox that kills for a system call could kill for one of ours. */                  \
	X(int, prctl, (int, ...))                                                                 \
	X(long, syscall, (long, ...))                                                             \
	/* Unwind rules and names of an unloaded library are no longer valid. */                  \
	X(int, dlclose, (void *))                                                                 \
	/* Code that is mapped a second time can be named only while it is mapped. */             \
	X(int, munmap, (void *, size_t))                                                          \
	/* The limit on locked memory is for the target alone. */                                 \
	X(int, mlockall, (int))

#endif
