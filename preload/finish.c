/*
 * The command runs as the child of a supervisor that the target cannot notice: cloned without
 * an exit signal, so that no SIGCHLD is sent and wait(2) does not see it (exec would give it one:
 * hence two processes).  The supervisor shares our memory, and we sleep until it ends
 * (CLONE_VFORK); it blocks all signals, keeps none of the target's descriptors, and starts the
 * command without LD_PRELOAD.  If the command cannot be run, folded stacks are written here and
 * the spool is kept.
 */
#include "preload/finish.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/settings.h"
#include "preload/fallback.h"
#include "preload/follow.h"
#include "preload/handover.h"
#include "preload/libc.h"
#include "preload/notice.h"
#include "preload/readable.h"
#include "runtime/sample/late.h"
#include "runtime/sample/proc.h"
#include "runtime/sample/session.h"
#include "runtime/sample/sys.h"
#include "runtime/sample/text.h"

#define CHILD_STACK_BYTES 65536UL
#define ENVIRONMENT_MAX	  4096
#define LONGEST_SECONDS	  300 /* then the target ends without its profile */
#define NOT_RUN		  127
#define KILLED		  128 /* plus the signal's number */

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
	    !take_if_there(info.dli_fname, directory_bytes, "../bin/flametrap") &&
	    !take_if_there(info.dli_fname, directory_bytes, "../../bin/flametrap"))
		command[0] = '\0';
}

bool finish_has_command(void)
{
	return command[0];
}

/* What the child needs, made ready before it shares our memory. */
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

/* What the target denied itself was not meant for the command, which inherits it: the clock that
 * its loader reads, and limits as far as they may be raised. */
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

/* In our memory, on a stack of its own; only system calls. */
static int run_child(void *context)
{
	const struct child *child = context;
	uint64_t none = 0;

	regain();
	sys_sigmask(SIG_SETMASK, &none, NULL);
	sys_execve(child->argv[0], child->argv, child->envp);
	sys_exit(NOT_RUN);
	return NOT_RUN;
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
	return WIFSIGNALED(status) ? KILLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static int wait_for_command(pid_t pid, int pidfd)
{
	int status = 0, err;

	if (!sys_poll_in(pidfd, LONGEST_SECONDS))
		sys_kill(pid, SIGKILL);
	do {
		err = sys_wait(pid, &status, 0);
	} while (err == -EINTR);
	return err ? NOT_RUN : exit_status(status);
}

/* Also in our memory and on a stack of its own; its descriptors and signal actions are copies. */
static int supervise(void *context)
{
	struct child *child = context;
	struct sigaction standard = { .sa_handler = SIG_DFL };
	int pidfd = -1;
	pid_t pid;

	libc_own()->sigaction(SIGCHLD, &standard,
			      NULL); /* if ignored, there were nothing to wait for */
	drop_descriptors();
	pid = libc_own()->clone(run_child, child->stack_top,
				CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, child, &pidfd);
	sys_exit(pid < 0 ? NOT_RUN : wait_for_command(pid, pidfd));
	return NOT_RUN;
}

/* The command's exit status, KILLED and a signal, or NOT_RUN. */
static int run_command(struct child *child)
{
	uint64_t mask;
	int status = 0, err = -ECHILD;
	void *stacks;
	pid_t pid;

	if (sys_mmap(&stacks, 2 * CHILD_STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1))
		return NOT_RUN;
	child->stack_top = (char *)stacks + CHILD_STACK_BYTES;
	mask = sys_signals_block();
	pid = libc_own()->clone(supervise, (char *)stacks + 2 * CHILD_STACK_BYTES,
				CLONE_VM | CLONE_VFORK, child);
	if (pid > 0)
		err = sys_wait(pid, &status, (int)__WCLONE);
	sys_signals_restore(mask);
	sys_munmap(stacks, 2 * CHILD_STACK_BYTES);
	return err ? NOT_RUN : exit_status(status);
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
	notice_say(line);
}

static void add_reason(struct text *text)
{
	struct spool_header *header = session.store.header;
	uint64_t from_ns = atomic_load_explicit(&header->window_from_ns, memory_order_relaxed);

	if (spool_is_paused(header)) {
		text_add(text, "sampling was paused until the end: flametrap start was never run");
	} else if (late_explain(text)) {
		return;
	} else if (from_ns > session_now_ns()) {
		text_add(text, "the program ended before sampling was to start");
	} else {
		text_add(text, session.plan.events.event[0].name);
		text_add(text, " did not overflow in the ");
		text_number(text, header->cpu_ns / 1000);
		text_add(text, " us of CPU time that the program used; a higher -F or a lower -c "
			       "would help");
	}
}

/* Nothing to fold: say why, but only for the process that the user started. */
static void drop_empty(const struct settings *settings)
{
	char line[256];
	struct text text = text_into(line, sizeof(line));

	store_unlink(&session.store);
	if (settings->log == SETTINGS_LOG_QUIET || !notice_owns_stderr())
		return; /* without a look at the parent */
	if (settings->log != SETTINGS_LOG_INFO && !follow_is_first())
		return;
	text_add(&text, "flametrap: no samples: ");
	add_reason(&text);
	notice_say(line);
}

/* Symbols that were waited for in vain. */
static void say_missing(void)
{
	char line[512];
	struct text text = text_into(line, sizeof(line));

	text_add(&text, "flametrap: ");
	if (late_explain(&text) && follow_is_first())
		notice_say(line);
}

/* The first child of a target that goes on may have to be the target's own. */
static bool may_run_command(enum finish_moment moment)
{
	return command[0] && !(moment == FINISH_EARLY && proc_children_are_apart());
}

/* Have the command write a spool or what a list of ended children names, and a second if any.
 * Returns its exit status, or NOT_RUN. */
static int write_with_command(const char *first, const char *second, enum finish_moment moment)
{
	static const struct itimerval none;
	static struct child child;
	struct itimerval alarm;
	bool stopped;
	int status;

	if (!may_run_command(moment))
		return NOT_RUN;
	child.argv[0] = command;
	child.argv[1] = (char *)"finish";
	child.argv[2] = (char *)first;
	child.argv[3] = (char *)second;
	child.argv[4] = NULL;
	fill_environment(&child);
	/* without us the program had ended by now, before its alarm(2) */
	stopped = moment != FINISH_EARLY && !sys_setitimer(&none, &alarm);
	status = run_command(&child);
	if (stopped && timerisset(&alarm.it_value))
		sys_setitimer(&alarm, NULL);
	return status;
}

/* What children left to us, where there is nothing of our own. */
static void pass_on(const char *children, enum finish_moment moment)
{
	const char *list;

	if (children && handover_give(children, &list) != HANDOVER_GIVEN)
		write_with_command(children, list, moment);
}

void finish_before_exec(void)
{
	const char *list;

	/* under its old name, by which those know our spool that add to the list */
	pass_on(handover_own_list(), FINISH_EARLY);
	if (session_is_empty())
		return;
	handover_number_image();
	handover_give(session.store.path, &list);
}

void finish_run(const struct settings *settings, enum finish_moment moment)
{
	const char *list;
	int status;

	if (session_is_empty() && !handover_has_images()) {
		pass_on(handover_own_list(), moment);
		drop_empty(settings);
		return;
	}
	say_missing();
	if (handover_give(session.store.path, &list) == HANDOVER_GIVEN)
		return;
	status = write_with_command(session.store.path, list, moment);
	if (status > KILLED && !sys_access(session.store.path, F_OK))
		say_kept("the command that writes the profile was killed");
	if (status != NOT_RUN)
		return; /* it wrote the profile, or said itself what went wrong */
	if (fallback_write(moment == FINISH_ORDERLY))
		say_kept("neither the flametrap command nor the library could write the profile");
	else
		say_kept("the flametrap command could not be run: folded stacks were written with "
			 "exported names only");
}
