/*
 * The functions of libc that libflametrap.so interposes.  Each calls the next definition of its own
 * name, which may be another interceptor's.  Where there is none, as in an older libc, `absent`
 * takes its place (real.c; NULL: the caller sees to it).  exports.map lists the names too.
 * X(result, name, parameters, absent)
 */
#ifndef PRELOAD_LIBC_INTERPOSED_H
#define PRELOAD_LIBC_INTERPOSED_H

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <threads.h>
#include <ucontext.h>

struct epoll_event;

typedef void (*interposed_handler)(int);

#define INTERPOSED(X)                                                                             \
	/* Open a thread's counters when it starts. */                                            \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *),  \
	  absent_number)                                                                          \
	X(int, thrd_create, (thrd_t *, thrd_start_t, void *), absent_number)                      \
	/* The key that we have is the program's if there is no other. */                         \
	X(int, pthread_key_create, (pthread_key_t *, void (*)(void *)), absent_number)            \
	X(int, tss_create, (tss_t *, tss_dtor_t), absent_number)                                  \
	/* An overflow pending across exec would kill the new image.  The image must inherit the  \
	 * target's signal actions and mask. */                                                   \
	X(int, execve, (const char *, char *const[], char *const[]), absent)                      \
	X(int, execv, (const char *, char *const[]), absent)                                      \
	X(int, execvp, (const char *, char *const[]), absent)                                     \
	X(int, execl, (const char *, const char *, ...), absent)                                  \
	X(int, execlp, (const char *, const char *, ...), absent)                                 \
	X(int, execle, (const char *, const char *, ...), absent)                                 \
	X(int, execvpe, (const char *, char *const[], char *const[]), absent)                     \
	X(int, fexecve, (int, char *const[], char *const[]), absent)                              \
	X(int, execveat, (int, const char *, char *const[], char *const[], int), absent)          \
	X(int, posix_spawn,                                                                       \
	  (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,  \
	   char *const[], char *const[]),                                                         \
	  absent_number)                                                                          \
	X(int, posix_spawnp,                                                                      \
	  (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,  \
	   char *const[], char *const[]),                                                         \
	  absent_number)                                                                          \
	X(int, system, (const char *), absent)                                                    \
	X(FILE *, popen, (const char *, const char *), absent_pointer)                            \
	/* Process ends that run no destructors. */                                               \
	X(void, _exit, (int), sys_exit)                                                           \
	X(void, _Exit, (int), sys_exit)                                                           \
	/* A child that shares our memory has its own mask and pending signals. */                \
	X(pid_t, vfork, (void), absent)                                                           \
	X(int, clone, (int (*)(void *), void *, int, void *, ...), absent)                        \
	/* Our signal stays handled and unblocked. The target reads back what it set. */          \
	X(int, sigaction, (int, const struct sigaction *, struct sigaction *), absent)            \
	X(int, __sigaction, (int, const struct sigaction *, struct sigaction *), absent)          \
	X(int, sigprocmask, (int, const sigset_t *, sigset_t *), absent)                          \
	X(int, pthread_sigmask, (int, const sigset_t *, sigset_t *), absent_sigmask)              \
	X(int, sigaltstack, (const stack_t *, stack_t *), absent)                                 \
	X(interposed_handler, signal, (int, interposed_handler), absent)                          \
	X(interposed_handler, bsd_signal, (int, interposed_handler), NULL)                        \
	X(interposed_handler, ssignal, (int, interposed_handler), NULL)                           \
	X(interposed_handler, sysv_signal, (int, interposed_handler), absent)                     \
	X(interposed_handler, __sysv_signal, (int, interposed_handler), NULL)                     \
	X(interposed_handler, sigset, (int, interposed_handler), absent)                          \
	X(int, sighold, (int), absent)                                                            \
	X(int, sigrelse, (int), absent)                                                           \
	X(int, sigignore, (int), absent)                                                          \
	X(int, siginterrupt, (int, int), absent)                                                  \
	X(int, sigblock, (int), absent)                                                           \
	X(int, sigsetmask, (int), absent)                                                         \
	X(int, siggetmask, (void), absent)                                                        \
	/* A thread that sleeps with another mask really has that mask.  Waits are only for the   \
	 * target's signals. */                                                                   \
	X(int, sigwait, (const sigset_t *, int *), absent_number)                                 \
	X(int, sigwaitinfo, (const sigset_t *, siginfo_t *), absent)                              \
	X(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *), absent)    \
	X(int, signalfd, (int, const sigset_t *, int), absent)                                    \
	X(int, sigpending, (sigset_t *), absent)                                                  \
	X(int, sigsuspend, (const sigset_t *), absent)                                            \
	X(int, __sigpause, (int, int), absent)                                                    \
	X(int, __xpg_sigpause, (int), absent)                                                     \
	X(int, sigpause, (int), absent)                                                           \
	X(int, pselect,                                                                           \
	  (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *), absent) \
	X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *),       \
	  absent)                                                                                 \
	X(int, __ppoll_chk,                                                                       \
	  (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t), absent)   \
	X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *), absent)      \
	X(int, epoll_pwait2,                                                                      \
	  (int, struct epoll_event *, int, const struct timespec *, const sigset_t *), absent)    \
	/* A sleep that a handler leaves by a jump does not return.  Saved masks are restored. */ \
	X(void, siglongjmp, (struct __jmp_buf_tag *, int), absent_jump)                           \
	X(void, longjmp, (struct __jmp_buf_tag *, int), absent_jump)                              \
	X(void, _longjmp, (struct __jmp_buf_tag *, int), absent_jump)                             \
	X(void, __longjmp_chk, (struct __jmp_buf_tag *, int), absent_jump)                        \
	X(int, __sigsetjmp, (struct __jmp_buf_tag *, int), absent)                                \
	X(int, setjmp, (struct __jmp_buf_tag *), absent)                                          \
	X(int, getcontext, (ucontext_t *), absent)                                                \
	X(int, setcontext, (const ucontext_t *), absent)                                          \
	X(int, swapcontext, (ucontext_t *, const ucontext_t *), absent)                           \
	/* A sandbox that kills for a system call could kill for one of ours. */                  \
	X(int, prctl, (int, ...), absent)                                                         \
	X(long, syscall, (long, ...), absent)                                                     \
	/* A tracer takes our signals in its tracee for its own. */                               \
	X(long, ptrace, (enum __ptrace_request, ...), absent)                                     \
	X(pid_t, wait, (int *), absent)                                                           \
	X(pid_t, waitpid, (pid_t, int *, int), absent)                                            \
	X(pid_t, wait3, (int *, int, struct rusage *), absent)                                    \
	X(pid_t, wait4, (pid_t, int *, int, struct rusage *), absent)                             \
	X(int, waitid, (idtype_t, id_t, siginfo_t *, int), absent)                                \
	/* A plugin may be bound past us. */                                                      \
	X(void *, dlopen, (const char *, int), absent_pointer)                                    \
	X(void *, dlmopen, (Lmid_t, const char *, int), absent_pointer)                           \
	X(void *, dlsym, (void *, const char *), absent_pointer)                                  \
	X(void *, dlvsym, (void *, const char *, const char *), absent_pointer)                   \
	/* Unwind rules and names of an unloaded library are no longer valid. */                  \
	X(int, dlclose, (void *), absent)                                                         \
	/* Code that is mapped a second time can be named only while it is mapped. */             \
	X(int, munmap, (void *, size_t), absent)                                                  \
	/* The limit on locked memory is for the target alone. */                                 \
	X(int, mlockall, (int), absent)                                                           \
	/* The limit on address space is, too. */                                                 \
	X(int, setrlimit, (__rlimit_resource_t, const struct rlimit *), absent)                   \
	X(int, setrlimit64, (__rlimit_resource_t, const struct rlimit64 *), absent)               \
	X(int, prlimit, (pid_t, enum __rlimit_resource, const struct rlimit *, struct rlimit *),  \
	  absent)                                                                                 \
	X(int, prlimit64,                                                                         \
	  (pid_t, enum __rlimit_resource, const struct rlimit64 *, struct rlimit64 *), absent)    \
	/* Rights to open counters may end here. */                                               \
	X(int, setuid, (uid_t), absent)                                                           \
	X(int, seteuid, (uid_t), absent)                                                          \
	X(int, setreuid, (uid_t, uid_t), absent)                                                  \
	X(int, setresuid, (uid_t, uid_t, uid_t), absent)                                          \
	X(int, capset, (void *, const void *), absent)                                            \
	X(int, unshare, (int), absent)                                                            \
	X(int, setns, (int, int), absent)

#endif
