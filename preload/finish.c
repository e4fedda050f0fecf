/*
 * The command runs as a child that the target cannot notice: no signal when it ends, not seen
 * by wait(2) (clone(2) without an exit signal), none of the target's descriptors, no
 * LD_PRELOAD.  It shares our memory until it execs, and we sleep until then (CLONE_VFORK).
 * If it cannot be run, or fails, folded stacks are written here and the spool is kept.
 */
#include "preload/finish.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/settings.h"
#include "preload/fallback.h"
#include "preload/follow.h"
#include "preload/process.h"
#include "preload/real.h"
#include "runtime/sample/session.h"
#include "runtime/sample/sys.h"
#include "runtime/sample/text.h"

#define CHILD_STACK_BYTES 65536UL
#define ENVIRONMENT_MAX	  4096
#define LONGEST_SECONDS	  300 /* then the target ends without its profile */
#define NOT_RUN		  127

static char command[SPOOL_TEXT_MAX];

static bool take_if_there(const char *library, size_t directory_bytes, const char *relative)
{
	struct text path = text_into(command, sizeof(command));

	if (library[0] != '/') {
		char here[SPOOL_TEXT_MAX];

		if (sys_getcwd(here, sizeof(here)) > 0)
			text_add(&path, here);
		text_add(&path, "/");
	}
	text_add_bytes(&path, library, directory_bytes);
	text_add(&path, relative);
	return !path.cut && !sys_access(command, X_OK);
}

void finish_find_command(void)
{
	const char *slash;
	size_t directory_bytes;
	Dl_info info;

	if (!dladdr((void *)finish_find_command, &info) || !info.dli_fname)
		return;
	slash = strrchr(info.dli_fname, '/');
	directory_bytes = slash ? (size_t)(slash - info.dli_fname) + 1 : 0;
	if (!take_if_there(info.dli_fname, directory_bytes, "flametrap") &&
	    !take_if_there(info.dli_fname, directory_bytes, "../bin/flametrap"))
		command[0] = '\0';
}

/* What the child needs, made ready before it shares our memory. */
struct child {
	char *argv[4];
	char *envp[ENVIRONMENT_MAX];
};

static bool is_ours(const char *variable)
{
	return !strncmp(variable, "LD_PRELOAD=", 11) || !strncmp(variable, "LD_AUDIT=", 9) ||
	       !strncmp(variable, "FLAMETRAP", 9);
}

static void fill_environment(struct child *child)
{
	size_t used = 0;

	for (char **variable = environ; variable && *variable && used < ENVIRONMENT_MAX - 1;
	     variable++)
		if (!is_ours(*variable))
			child->envp[used++] = *variable;
	child->envp[used] = NULL;
}

/* Runs in our memory on a stack of its own; only system calls. */
static int run_child(void *context)
{
	const struct child *child = context;
	uint64_t none = 0;
	int null = sys_open("/dev/null", O_RDWR, 0);

	if (null >= 0) {
		sys_dup(null, STDIN_FILENO);
		sys_dup(null, STDOUT_FILENO);
		if (!process_owns_stderr())
			sys_dup(null, STDERR_FILENO);
	}
	sys_close_from(STDERR_FILENO + 1);
	sys_sigmask(SIG_SETMASK, &none, NULL);
	sys_execve(child->argv[0], child->argv, child->envp);
	sys_exit(NOT_RUN);
	return NOT_RUN;
}

/* Its exit status; or -errno. */
static int wait_for(pid_t pid, int pidfd)
{
	int status = 0, ready, err;

	do {
		ready = sys_poll_in(pidfd, LONGEST_SECONDS);
	} while (ready == -EINTR);
	if (!ready)
		sys_kill(pid, SIGKILL);
	do {
		err = sys_wait_clone(pid, &status);
	} while (err == -EINTR);
	if (err)
		return err;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

static int run_command(struct child *child)
{
	void *stack;
	int pidfd = -1, status;
	pid_t pid;

	if (sys_mmap(&stack, CHILD_STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1))
		return -ENOMEM;
	pid = clone(run_child, (char *)stack + CHILD_STACK_BYTES,
		    CLONE_VM | CLONE_VFORK | CLONE_PIDFD, child, &pidfd);
	status = pid < 0 ? -errno : wait_for(pid, pidfd);
	if (pidfd >= 0)
		sys_close(pidfd);
	sys_munmap(stack, CHILD_STACK_BYTES);
	return status;
}

static void say_kept(const char *why)
{
	char line[SPOOL_TEXT_MAX + 256];
	struct text text = text_into(line, sizeof(line));

	text_add(&text, "flametrap: ");
	text_add(&text, why);
	text_add(&text, "; the samples are kept in ");
	text_add(&text, session.store.path);
	text_add(&text, " (flametrap recover)");
	process_say(line);
}

/* Nothing to fold: say why, but only for the process that the user started. */
static void drop_empty(const struct settings *settings)
{
	uint64_t cpu_us = session.store.header->cpu_ns / 1000;
	char line[256];
	struct text text = text_into(line, sizeof(line));

	store_unlink(&session.store);
	if (settings->log != SETTINGS_LOG_INFO && !follow_is_first())
		return;
	text_add(&text, "flametrap: no samples: ");
	text_add(&text, session.plan.events.event[0].name);
	text_add(&text, " did not overflow in the ");
	text_number(&text, cpu_us);
	text_add(&text,
		 " us of CPU time that the program used; a higher -F or a lower -c would help");
	process_say(line);
}

void finish_run(const struct settings *settings, bool orderly)
{
	static struct child child;
	int status = NOT_RUN;

	if (session_is_empty()) {
		drop_empty(settings);
		return;
	}
	if (command[0]) {
		child.argv[0] = command;
		child.argv[1] = (char *)"finish";
		child.argv[2] = session.store.path;
		fill_environment(&child);
		status = run_command(&child);
	}
	if (!status)
		return;
	if (status > 0 && status != NOT_RUN)
		return; /* it ran, and said itself what went wrong */
	if (fallback_write(orderly))
		say_kept("neither the flametrap command nor the library could write the profile");
	else
		say_kept("the flametrap command could not be run: folded stacks were written with "
			 "exported names only");
}
