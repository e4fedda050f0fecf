/*
 * The command runs as the child of a supervisor that the target cannot notice: cloned without an
 * exit signal, it sends no SIGCHLD, and wait(2) does not see it.  An exec would give it an exit
 * signal; hence two processes.  The supervisor shares our memory, and we sleep until it ends
 * (CLONE_VFORK).  It blocks all signals, keeps none of the target's descriptors, and starts the
 * command without LD_PRELOAD.
 */
#include "preload/process/process_end.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/text/text.h"
#include "preload/libc/libc.h"
#include "preload/libc/readable.h"
#include "preload/process/notice.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/format.h"

#define CHILD_STACK_BYTES 65536UL
#define ENVIRONMENT_MAX	  4096
#define LONGEST_MS	  300000 /* after that the target ends without its profile */

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

void finisher_find(void)
{
	const char *slash, *library = libc_path_of_us();
	size_t directory_bytes;

	if (!library || libc_is_old())
		return;
	slash = strrchr(library, '/');
	directory_bytes = slash ? (size_t)(slash - library) + 1 : 0;
	if (!take_if_there(library, directory_bytes, "flametrap") &&
	    !take_if_there(library, directory_bytes, "../bin/flametrap") &&
	    !take_if_there(library, directory_bytes, "../../bin/flametrap"))
		command[0] = '\0';
}

bool finisher_is_there(void)
{
	return command[0];
}

/* The child's data, prepared before the child shares our memory. */
struct child {
	char *argv[5];
	void *stack_top; /* of the command, until it execs */
	char *envp[ENVIRONMENT_MAX];
};

static bool is_ours(const char *variable)
{
	return !strncmp(variable, "LD_PRELOAD=", 11) || !strncmp(variable, "LD_AUDIT=", 9) ||
	       !strncmp(variable, "FLAMETRAP", 9);
}

static void fill_environment(struct child *child)
{
	char **variable = readable_strings(__environ) ? __environ : child->envp;
	size_t used = 0;

	child->envp[0] = NULL;
	for (; *variable && used < ENVIRONMENT_MAX - 1; variable++)
		if (!is_ours(*variable))
			child->envp[used++] = *variable;
	child->envp[used] = NULL;
}

/* Undo restrictions of the target's that the command would inherit: the ban on the time-stamp
 * counter, which the command's loader reads, and limits as far as they may be raised. */
static void regain(void)
{
	static const int resources[] = { RLIMIT_STACK, RLIMIT_FSIZE, RLIMIT_NOFILE,
					 RLIMIT_AS,    RLIMIT_DATA,  RLIMIT_CPU };
	struct rlimit limit;

	sys_prctl(PR_SET_TSC, PR_TSC_ENABLE);
	for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
		if (sys_getrlimit(resources[i], &limit))
			continue;
		limit.rlim_cur = limit.rlim_max;
		sys_set_rlimit(resources[i], &limit);
	}
}

/* Runs in our memory, on a stack of its own; only system calls. */
static int run_child(void *context)
{
	const struct child *child = context;
	uint64_t none = 0;

	regain();
	sys_sigmask(SIG_SETMASK, &none, NULL);
	sys_execve(child->argv[0], child->argv, child->envp);
	sys_exit(FINISHER_NOT_RUN);
	return FINISHER_NOT_RUN;
}

static void drop_descriptors(void)
{
	int null = sys_open("/dev/null", O_RDWR, 0);

	if (null >= 0) {
		sys_dup(null, STDIN_FILENO);
		sys_dup(null, STDOUT_FILENO);
		if (!notice_owns_stderr())
			sys_dup(null, STDERR_FILENO);
	}
	sys_close_from(STDERR_FILENO + 1);
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? FINISHER_KILLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static int wait_for_command(pid_t pid, int pidfd)
{
	int status = 0;

	if (!sys_poll(pidfd, POLLIN, LONGEST_MS))
		sys_kill(pid, SIGKILL);
	return sys_wait(pid, &status, 0) ? FINISHER_NOT_RUN : exit_status(status);
}

/* Runs in our memory too, on a stack of its own; its descriptors and signal actions are copies. */
static int supervise(void *context)
{
	struct child *child = context;
	struct sigaction standard = { .sa_handler = SIG_DFL };
	int pidfd = -1;
	pid_t pid;

	libc_own()->sigaction(SIGCHLD, &standard,
			      NULL); /* if ignored, the child could not be waited for */
	drop_descriptors();
	pid = libc_own()->clone(run_child, child->stack_top,
				CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, child, &pidfd);
	sys_exit(pid < 0 ? FINISHER_NOT_RUN : wait_for_command(pid, pidfd));
	return FINISHER_NOT_RUN;
}

static int run_command(struct child *child)
{
	uint64_t mask;
	int status = 0, err = -ECHILD;
	void *stacks;
	pid_t pid;

	if (sys_mmap(&stacks, 2 * CHILD_STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1))
		return FINISHER_NOT_RUN;
	child->stack_top = (char *)stacks + CHILD_STACK_BYTES;
	mask = sys_signals_block();
	pid = libc_own()->clone(supervise, (char *)stacks + 2 * CHILD_STACK_BYTES,
				CLONE_VM | CLONE_VFORK, child);
	if (pid > 0)
		err = sys_wait(pid, &status, (int)__WCLONE);
	sys_signals_restore(mask);
	sys_munmap(stacks, 2 * CHILD_STACK_BYTES);
	return err ? FINISHER_NOT_RUN : exit_status(status);
}

int finisher_run(const char *first, const char *second)
{
	static struct child child;

	child.argv[0] = command;
	child.argv[1] = (char *)"finish";
	child.argv[2] = (char *)first;
	child.argv[3] = (char *)second;
	child.argv[4] = NULL;
	fill_environment(&child);
	return run_command(&child);
}

void finisher_become(void)
{
	static char finish[] = "finish", nothing[] = "";
	static char *const argv[] = { command, finish, nothing, NULL };

	regain();
	sys_execve(command, argv, argv + 3);
}
