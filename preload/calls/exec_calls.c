/*
 * The exec family, and the functions that start programs inside libc.
 *
 * An overflow taken in the kernel on the way into execve would be delivered to the new image, where
 * SIGTRAP kills.  So the counters of the calling thread are disabled first, and enabled again if
 * exec fails.  A vfork child shares our memory but has no counters: it only makes the target's mask
 * and action real, of which it has its own copies.
 *
 * A program whose loader refuses this library, or cannot open it, gets an environment without it.
 */
#include <alloca.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/calls/by_number.h"
#include "preload/libc/real.h"
#include "preload/process/image.h"
#include "preload/process/process.h"
#include "preload/signals/disposition.h"
#include "preload/signals/signal_mask.h"
#include "runtime/sample/life/thread_life.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/thread_pointer.h"

struct leaving {
	struct disposition_shown shown;
	bool here;     /* the sampled process itself executes a new image */
	bool unlinked; /* its spool was empty and was removed */
};

static void leave(struct leaving *leaving)
{
	int saved;

	thread_pointer_ask();
	saved = errno;
	leaving->here = session_is_here();
	leaving->unlinked = false;
	if (leaving->here) {
		thread_pause();
		if (signal_mask_drop_ours())
			signal_mask_dropped();
		lifecycle_stop(SPOOL_EXECED);
		leaving->unlinked = process_leave_image();
	}
	disposition_show(&leaving->shown);
	errno = saved;
}

static int stay(const struct leaving *leaving, int result)
{
	int saved = errno;

	disposition_hide(&leaving->shown);
	if (leaving->here) {
		lifecycle_resume(saved);
		if (leaving->unlinked)
			process_new_spool();
		thread_resume();
	}
	errno = saved;
	return result;
}

/* The environment for an image.  `any` is true if its loader refuses this library.  If a copy is
 * needed, its storage belongs to the calling function's frame; otherwise no stack space is taken.
 */
#define ENVIRONMENT_FOR(envp, any)                                                               \
	({                                                                                       \
		bool all_ = (any);                                                               \
		char *const *envp_ = (envp);                                                     \
                                                                                                 \
		if (all_ || !own_file_is_there()) {                                              \
			struct image_room room_ = image_room(envp_);                             \
                                                                                                 \
			envp_ = image_environment(alloca(image_room_bytes(room_)), room_, envp_, \
						  all_);                                         \
		}                                                                                \
		envp_;                                                                           \
	})

/* `envp` is a parameter, and `is_foreign` a condition on the others. */
#define DEFINE_EXEC(name, parameters, arguments, is_foreign)   \
	int name parameters                                    \
	{                                                      \
		struct leaving leaving;                        \
                                                               \
		leave(&leaving);                               \
		envp = ENVIRONMENT_FOR(envp, is_foreign);      \
		return stay(&leaving, real()->name arguments); \
	}

DEFINE_EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp),
	    image_is_foreign(path))
DEFINE_EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp),
	    image_command_is_foreign(file))
DEFINE_EXEC(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp),
	    image_at_is_foreign(fd, ""))
DEFINE_EXEC(execveat, (int fd, const char *path, char *const argv[], char *const envp[], int flags),
	    (fd, path, argv, envp, flags), image_at_is_foreign(fd, path))

int execv(const char *path, char *const argv[])
{
	struct leaving leaving;
	char *const *envp;

	leave(&leaving);
	envp = ENVIRONMENT_FOR(__environ, image_is_foreign(path));
	if (envp != __environ)
		return stay(&leaving, real()->execve(path, argv, envp));
	return stay(&leaving, real()->execv(path, argv));
}

int execvp(const char *file, char *const argv[])
{
	struct leaving leaving;
	char *const *envp;

	leave(&leaving);
	envp = ENVIRONMENT_FOR(__environ, image_command_is_foreign(file));
	if (envp != __environ)
		return stay(&leaving, real()->execvpe(file, argv, envp));
	return stay(&leaving, real()->execvp(file, argv));
}

long by_number_exec(long number, const long argument[6], int directory, const long file[3])
{
	struct leaving leaving;
	long passed[6];

	memcpy(passed, argument, sizeof(passed));
	leave(&leaving);
	passed[&file[2] - argument] =
		(long)ENVIRONMENT_FOR((char *const *)file[2],
				      image_at_is_foreign(directory, (const char *)file[0]));
	return stay(&leaving, (int)real()->syscall(number, passed[0], passed[1], passed[2],
						   passed[3], passed[4], passed[5]));
}

#define PASSED_MOST 64 /* arguments, the NULL and the environment; the call reads at most these */
#define EIGHT(at)   (at)[0], (at)[1], (at)[2], (at)[3], (at)[4], (at)[5], (at)[6], (at)[7]

struct list_call {
	int (*next)(const char *, const char *, ...);
	int (*by_array)(const char *, char *const[], char *const[]); /* where `next` cannot serve */
	bool (*is_foreign)(const char *);
	bool has_envp; /* after the NULL that ends the arguments */
};

static size_t count_arguments(const char *first, va_list *list)
{
	size_t count = first != NULL;
	va_list copy;

	va_copy(copy, *list);
	while (first && va_arg(copy, const char *))
		count++;
	va_end(copy);
	return count;
}

static int exec_list(const struct list_call *call, const char *path, const char *first,
		     va_list *list)
{
	size_t count = count_arguments(first, list);
	size_t slots = count + 2 > PASSED_MOST ? count + 2 : PASSED_MOST;
	const char **argv = alloca(slots * sizeof(*argv));
	char *const *given = __environ;
	char *const *envp;
	struct leaving leaving;

	memset(argv, 0, slots * sizeof(*argv));
	argv[0] = first;
	for (size_t i = 1; i <= count; i++)
		argv[i] = va_arg(*list, const char *); /* the last is the NULL */
	if (call->has_envp) {
		given = va_arg(*list, char *const *);
		argv[count + 1] = (const char *)given;
	}
	leave(&leaving);
	envp = ENVIRONMENT_FOR(given, call->is_foreign(path));
	if (envp == given && slots == PASSED_MOST)
		return stay(&leaving,
			    call->next(path, EIGHT(argv), EIGHT(argv + 8), EIGHT(argv + 16),
				       EIGHT(argv + 24), EIGHT(argv + 32), EIGHT(argv + 40),
				       EIGHT(argv + 48), EIGHT(argv + 56)));
	return stay(&leaving, call->by_array(path, (char *const *)argv, envp));
}

#define DEFINE_LIST(name, by_array, is_foreign, has_envp)                                   \
	int name(const char *path, const char *first, ...)                                  \
	{                                                                                   \
		const struct list_call call = { real()->name, real()->by_array, is_foreign, \
						has_envp };                                 \
		va_list list;                                                               \
		int result;                                                                 \
                                                                                            \
		va_start(list, first);                                                      \
		result = exec_list(&call, path, first, &list);                              \
		va_end(list);                                                               \
		return result;                                                              \
	}

DEFINE_LIST(execl, execve, image_is_foreign, false)
DEFINE_LIST(execlp, execvpe, image_command_is_foreign, false)
DEFINE_LIST(execle, execve, image_is_foreign, true)

#define DEFINE_SPAWN(name, is_foreign)                                                        \
	int name(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,     \
		 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) \
	{                                                                                     \
		struct disposition_shown shown;                                               \
		int err;                                                                      \
                                                                                              \
		disposition_show(&shown);                                                     \
		envp = ENVIRONMENT_FOR(envp, is_foreign(path));                               \
		err = real()->name(pid, path, actions, attributes, argv, envp);               \
		disposition_hide(&shown);                                                     \
		return err;                                                                   \
	}

DEFINE_SPAWN(posix_spawn, image_is_foreign)
DEFINE_SPAWN(posix_spawnp, image_command_is_foreign)

/* libc gives the shell the environment of the process. */
static void start_shell(struct disposition_shown *shown)
{
	int saved = errno;

	disposition_show(shown);
	if (!own_file_is_there())
		image_clean_environ(false);
	errno = saved;
}

int system(const char *command)
{
	struct disposition_shown shown;
	int status;

	start_shell(&shown);
	status = real()->system(command);
	disposition_hide(&shown);
	return status;
}

FILE *popen(const char *command, const char *mode)
{
	struct disposition_shown shown;
	FILE *stream;

	start_shell(&shown);
	stream = real()->popen(command, mode);
	disposition_hide(&shown);
	return stream;
}

/* Ways out that run no destructors of libraries.  quick_exit(3) is covered by at_quick_exit(3),
 * exit(3) by our own destructor (process.c). */
void _exit(int status)
{
	process_finish(NULL);
	real()->_exit(status);
	__builtin_unreachable();
}

void _Exit(int status)
{
	process_finish(NULL);
	real()->_Exit(status);
	__builtin_unreachable();
}
