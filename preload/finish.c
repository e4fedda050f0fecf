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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/settings.h"
#include "preload/fallback.h"
#include "preload/follow.h"
#include "preload/process.h"
#include "preload/real.h"
#include "runtime/sample/late.h"
#include "runtime/sample/proc.h"
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
	    !take_if_there(info.dli_fname, directory_bytes, "../bin/flametrap") &&
	    !take_if_there(info.dli_fname, directory_bytes, "../../bin/flametrap"))
		command[0] = '\0';
}

/* What the child needs, made ready before it shares our memory. */
struct child {
	char *argv[4];
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
	size_t used = 0;

	for (char **variable = environ; variable && *variable && used < ENVIRONMENT_MAX - 1;
	     variable++)
		if (!is_ours(*variable))
			child->envp[used++] = *variable;
	child->envp[used] = NULL;
}

/* In our memory, on a stack of its own; only system calls. */
static int run_child(void *context)
{
	const struct child *child = context;
	uint64_t none = 0;

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
		if (!process_owns_stderr())
			sys_dup(null, STDERR_FILENO);
	}
	sys_close_from(STDERR_FILENO + 1);
}

static int exit_status_of(pid_t pid, int pidfd)
{
	int status = 0, err;

	if (!sys_poll_in(pidfd, LONGEST_SECONDS))
		sys_kill(pid, SIGKILL);
	do {
		err = sys_wait(pid, &status, 0);
	} while (err == -EINTR);
	return !err && WIFEXITED(status) ? WEXITSTATUS(status) : NOT_RUN;
}

/* Also in our memory and on a stack of its own; its descriptors and signal actions are copies. */
static int supervise(void *context)
{
	struct child *child = context;
	struct sigaction standard = { .sa_handler = SIG_DFL };
	int pidfd = -1;
	pid_t pid;

	real()->sigaction(SIGCHLD, &standard,
			  NULL); /* if ignored, there were nothing to wait for */
	drop_descriptors();
	pid = clone(run_child, child->stack_top, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
		    child, &pidfd);
	sys_exit(pid < 0 ? NOT_RUN : exit_status_of(pid, pidfd));
	return NOT_RUN;
}

/* The command's exit status, or NOT_RUN. */
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
	pid = clone(supervise, (char *)stacks + 2 * CHILD_STACK_BYTES, CLONE_VM | CLONE_VFORK,
		    child);
	if (pid > 0)
		err = sys_wait(pid, &status, (int)__WCLONE);
	sys_signals_restore(mask);
	sys_munmap(stacks, 2 * CHILD_STACK_BYTES);
	return !err && WIFEXITED(status) ? WEXITSTATUS(status) : NOT_RUN;
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

/* Spools beside ours that it falls to us to have written. */
struct leftover {
	const char *directory;
	const char *own; /* name of ours */
	size_t prefix;	 /* of the names of this process's: the same pid and start */
	bool found;
};

static uint32_t word_of(const char *head, size_t offset)
{
	uint32_t word;

	memcpy(&word, head + offset, sizeof(word));
	return word;
}

/* Of a child that gave way to a program that cannot be preloaded, and has ended. */
static bool is_childs(const struct leftover *leftover, const char *name)
{
	char head[offsetof(struct spool_header, uid)]; /* all of it is too much for a stack */
	uint64_t magic = SPOOL_MAGIC;
	char path[SPOOL_TEXT_MAX], process[32];
	struct text text = text_into(path, sizeof(path));
	long got;
	int fd;

	text_add(&text, leftover->directory);
	text_add(&text, name);
	fd = text.cut ? -1 : sys_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	got = sys_read(fd, head, sizeof(head));
	sys_close(fd);
	if (got != (long)sizeof(head) || memcmp(head, &magic, sizeof(magic)) != 0 ||
	    word_of(head, offsetof(struct spool_header, version)) != SPOOL_VERSION ||
	    word_of(head, offsetof(struct spool_header, state)) != SPOOL_EXECED ||
	    word_of(head, offsetof(struct spool_header, parent_pid)) != (uint32_t)session.pid)
		return false;
	text = text_into(process, sizeof(process));
	text_add(&text, "/proc/");
	text_number(&text, word_of(head, offsetof(struct spool_header, pid)));
	return sys_access(process, F_OK) != 0;
}

static int is_leftover(const char *name, void *context)
{
	struct leftover *leftover = context;
	size_t length = strlen(name);

	if (strncmp(name, "flametrap.", 10) != 0 || length < 6 ||
	    strcmp(name + length - 6, ".spool") != 0 || !strcmp(name, leftover->own))
		return 0;
	leftover->found =
		!strncmp(name, leftover->own, leftover->prefix) || is_childs(leftover, name);
	return leftover->found;
}

/* Did earlier images of this process (before exec), or children, leave spools beside ours? */
static bool has_leftovers(void)
{
	struct leftover leftover = { .own = strrchr(session.store.path, '/') + 1 };
	char directory[SPOOL_TEXT_MAX];
	struct text text = text_into(directory, sizeof(directory));

	leftover.prefix = (size_t)(strrchr(leftover.own, '.') - leftover.own); /* .spool */
	while (leftover.prefix && leftover.own[leftover.prefix - 1] != '.')
		leftover.prefix--;
	text_add_bytes(&text, session.store.path, (size_t)(leftover.own - session.store.path));
	leftover.directory = directory;
	proc_list(directory, is_leftover, &leftover);
	return leftover.found;
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
	if (settings->log != SETTINGS_LOG_INFO && !follow_is_first())
		return;
	text_add(&text, "flametrap: no samples: ");
	add_reason(&text);
	process_say(line);
}

/* Symbols that were waited for in vain. */
static void say_missing(void)
{
	char line[512];
	struct text text = text_into(line, sizeof(line));

	text_add(&text, "flametrap: ");
	if (follow_is_first() && late_explain(&text))
		process_say(line);
}

void finish_run(const struct settings *settings, bool orderly)
{
	static struct child child;
	int status = NOT_RUN;

	if (session_is_empty() && !has_leftovers()) {
		drop_empty(settings);
		return;
	}
	say_missing();
	if (command[0]) {
		child.argv[0] = command;
		child.argv[1] = (char *)"finish";
		child.argv[2] = session.store.path;
		fill_environment(&child);
		status = run_command(&child);
	}
	if (status != NOT_RUN)
		return; /* it wrote the profile, or said itself what went wrong */
	if (fallback_write(orderly))
		say_kept("neither the flametrap command nor the library could write the profile");
	else
		say_kept("the flametrap command could not be run: folded stacks were written with "
			 "exported names only");
}
