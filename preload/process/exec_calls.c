/*
 * The exec family, and the functions that start programs inside libc.
 *
 * An overflow taken in the kernel on the way into execve would be delivered to the new image,
 * where SIGTRAP kills.  The counters of the calling thread are therefore disabled first, and
 * enabled again if exec fails.  In a handler that blocks our signal one may already be pending.  A
 * vfork child shares our memory but has no counters: it only makes the target's mask and action
 * real, of which it has its own copies.
 *
 * If this library would only disturb a program's loader, the program gets an environment without
 * it.
 */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/libc/real.h"
#include "preload/process/exec.h"
#include "preload/process/image.h"
#include "preload/process/process.h"
#include "preload/signals/disposition.h"
#include "preload/signals/signal_mask.h"
#include "runtime/sample/lifecycle.h"
#include "runtime/sample/session.h"
#include "runtime/sample/thread_pause.h"

struct leaving {
	struct disposition_shown shown;
	bool here;     /* the sampled process itself executes a new image */
	bool unlinked; /* its spool was empty and was removed */
};

static void leave(struct leaving *leaving)
{
	int saved = errno;

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
		lifecycle_resume();
		if (leaving->unlinked)
			process_new_spool();
		thread_resume();
	}
	errno = saved;
	return result;
}

/* Separate functions, because of the stack space that they use. */
__attribute__((noinline)) static int execve_without_us(const char *path, char *const argv[],
						       char *const envp[])
{
	struct image_environment room;

	return real()->execve(path, argv, image_environment(&room, envp));
}

__attribute__((noinline)) static int execvpe_without_us(const char *file, char *const argv[],
							char *const envp[])
{
	struct image_environment room;

	return real()->execvpe(file, argv, image_environment(&room, envp));
}

__attribute__((noinline)) static int fexecve_without_us(int fd, char *const argv[],
							char *const envp[])
{
	struct image_environment room;

	return real()->fexecve(fd, argv, image_environment(&room, envp));
}

__attribute__((noinline)) static int
execveat_without_us(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	struct image_environment room;

	return real()->execveat(fd, path, argv, image_environment(&room, envp), flags);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	struct leaving leaving;

	leave(&leaving);
	if (image_is_foreign(path))
		return stay(&leaving, execve_without_us(path, argv, envp));
	return stay(&leaving, real()->execve(path, argv, envp));
}

int execv(const char *path, char *const argv[])
{
	struct leaving leaving;

	leave(&leaving);
	if (image_is_foreign(path))
		return stay(&leaving, execve_without_us(path, argv, __environ));
	return stay(&leaving, real()->execv(path, argv));
}

int execvp(const char *file, char *const argv[])
{
	struct leaving leaving;

	leave(&leaving);
	if (image_command_is_foreign(file))
		return stay(&leaving, execvpe_without_us(file, argv, __environ));
	return stay(&leaving, real()->execvp(file, argv));
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
	struct leaving leaving;

	leave(&leaving);
	if (image_command_is_foreign(file))
		return stay(&leaving, execvpe_without_us(file, argv, envp));
	return stay(&leaving, real()->execvpe(file, argv, envp));
}

int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct leaving leaving;

	leave(&leaving);
	if (image_at_is_foreign(fd, ""))
		return stay(&leaving, fexecve_without_us(fd, argv, envp));
	return stay(&leaving, real()->fexecve(fd, argv, envp));
}

int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	struct leaving leaving;

	leave(&leaving);
	if (image_at_is_foreign(fd, path))
		return stay(&leaving, execveat_without_us(fd, path, argv, envp, flags));
	return stay(&leaving, real()->execveat(fd, path, argv, envp, flags));
}

__attribute__((noinline)) static long number_without_us(long number, const long argument[6],
							const long *envp)
{
	struct image_environment room;
	char *const *ours = image_environment(&room, (char *const *)*envp);
	long changed[6];

	memcpy(changed, argument, sizeof(changed));
	changed[envp - argument] = (long)ours;
	return real()->syscall(number, changed[0], changed[1], changed[2], changed[3], changed[4],
			       changed[5]);
}

long exec_by_number(long number, const long argument[6], int directory, const long file[3])
{
	struct leaving leaving;
	long result;

	leave(&leaving);
	if (image_at_is_foreign(directory, (const char *)file[0]))
		result = number_without_us(number, argument, &file[2]);
	else
		result = real()->syscall(number, argument[0], argument[1], argument[2], argument[3],
					 argument[4], argument[5]);
	return stay(&leaving, (int)result);
}

/* Number of arguments before the NULL that ends them. */
static size_t count_arguments(const char *first, va_list list)
{
	size_t count = first != NULL;

	while (first && va_arg(list, const char *))
		count++;
	return count;
}

static void copy_arguments(const char **argv, size_t count, const char *first, va_list *list)
{
	if (count)
		argv[0] = first;
	for (size_t i = 1; i < count; i++)
		argv[i] = va_arg(*list, const char *);
	argv[count] = NULL;
}

/* Copy the arguments, with a slot for the environment after the NULL. */
#define SPREAD(argv, count, first, list)                         \
	do {                                                     \
		va_list copy;                                    \
		va_copy(copy, list);                             \
		(count) = count_arguments(first, copy);          \
		va_end(copy);                                    \
		(argv) = alloca(((count) + 2) * sizeof(char *)); \
		copy_arguments(argv, count, first, &(list));     \
		(argv)[(count) + 1] = NULL;                      \
	} while (0)

#define PASSED_MOST 64 /* arguments, the NULL and the environment; the call reads at most these */
#define EIGHT(at)   (at)[0], (at)[1], (at)[2], (at)[3], (at)[4], (at)[5], (at)[6], (at)[7]

__attribute__((noinline)) static int pass_list(int (*function)(const char *, const char *, ...),
					       const char *path, const char **argv, size_t count)
{
	const char *at[PASSED_MOST];

	for (size_t i = 0; i < PASSED_MOST; i++)
		at[i] = i < count + 2 ? argv[i] : NULL;
	return function(path, EIGHT(at), EIGHT(at + 8), EIGHT(at + 16), EIGHT(at + 24),
			EIGHT(at + 32), EIGHT(at + 40), EIGHT(at + 48), EIGHT(at + 56));
}

int execl(const char *path, const char *first, ...)
{
	struct leaving leaving;
	const char **argv;
	size_t count;
	va_list list;

	va_start(list, first);
	SPREAD(argv, count, first, list);
	va_end(list);
	if (count + 2 > PASSED_MOST)
		return execv(path, (char *const *)argv);
	leave(&leaving);
	if (image_is_foreign(path))
		return stay(&leaving, execve_without_us(path, (char *const *)argv, __environ));
	return stay(&leaving, pass_list(real()->execl, path, argv, count));
}

int execlp(const char *file, const char *first, ...)
{
	struct leaving leaving;
	const char **argv;
	size_t count;
	va_list list;

	va_start(list, first);
	SPREAD(argv, count, first, list);
	va_end(list);
	if (count + 2 > PASSED_MOST)
		return execvp(file, (char *const *)argv);
	leave(&leaving);
	if (image_command_is_foreign(file))
		return stay(&leaving, execvpe_without_us(file, (char *const *)argv, __environ));
	return stay(&leaving, pass_list(real()->execlp, file, argv, count));
}

int execle(const char *path, const char *first, ...)
{
	struct leaving leaving;
	const char **argv;
	size_t count;
	va_list list;

	va_start(list, first);
	SPREAD(argv, count, first, list);
	if (count)
		(void)va_arg(list, const char *); /* the NULL that ends the arguments */
	argv[count + 1] = va_arg(list, const char *);
	va_end(list);
	if (count + 2 > PASSED_MOST)
		return execve(path, (char *const *)argv, (char *const *)argv[count + 1]);
	leave(&leaving);
	if (image_is_foreign(path))
		return stay(&leaving, execve_without_us(path, (char *const *)argv,
							(char *const *)argv[count + 1]));
	return stay(&leaving, pass_list(real()->execle, path, argv, count));
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);

__attribute__((noinline)) static int spawn_without_us(spawn_function *spawn, pid_t *pid,
						      const char *path,
						      const posix_spawn_file_actions_t *actions,
						      const posix_spawnattr_t *attributes,
						      char *const argv[], char *const envp[])
{
	struct image_environment room;

	return spawn(pid, path, actions, attributes, argv, image_environment(&room, envp));
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	struct disposition_shown shown;
	int err;

	disposition_show(&shown);
	if (image_is_foreign(path))
		err = spawn_without_us(real()->posix_spawn, pid, path, actions, attributes, argv,
				       envp);
	else
		err = real()->posix_spawn(pid, path, actions, attributes, argv, envp);
	disposition_hide(&shown);
	return err;
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	struct disposition_shown shown;
	int err;

	disposition_show(&shown);
	if (image_command_is_foreign(file))
		err = spawn_without_us(real()->posix_spawnp, pid, file, actions, attributes, argv,
				       envp);
	else
		err = real()->posix_spawnp(pid, file, actions, attributes, argv, envp);
	disposition_hide(&shown);
	return err;
}

int system(const char *command)
{
	struct disposition_shown shown;
	int status, saved;

	disposition_show(&shown);
	status = real()->system(command);
	saved = errno;
	disposition_hide(&shown);
	errno = saved;
	return status;
}

FILE *popen(const char *command, const char *mode)
{
	struct disposition_shown shown;
	FILE *stream;
	int saved;

	disposition_show(&shown);
	stream = real()->popen(command, mode);
	saved = errno;
	disposition_hide(&shown);
	errno = saved;
	return stream;
}
