/*
 * Laws: nothing here may end, delay or fail the target.  After any error the shim writes one line
 * and does nothing more.  Set-user-ID programs are left alone, whatever the environment says.
 *
 * Order in the constructor: settings, the virtual view of our signal, the session, and only then
 * the fork handlers and the watch on the end of the main thread.
 */
#include "preload/process/process.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "config/events/lookup.h"
#include "config/settings/emulator.h"
#include "config/settings/pattern.h"
#include "config/settings/settings.h"
#include "config/text/text.h"
#include "preload/libc/bindings.h"
#include "preload/libc/libc.h"
#include "preload/libc/readable.h"
#include "preload/libc/real.h"
#include "preload/signals/syscall_dispatch.h"
#include "preload/process/follow.h"
#include "preload/process/image.h"
#include "preload/process/notice.h"
#include "preload/process/process_end.h"
#include "preload/threads/thread_ends.h"
#include "preload/signals/disposition.h"
#include "preload/signals/signal_mask.h"
#include "runtime/sample/life/thread_life.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/elf/raw_calls.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/log/log.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/sys/together.h"
#include "runtime/sample/session/thread.h"

#define STATUS_STRICT 125 /* the command's status for what it refuses */

static const struct lookup lookup = { .read = proc_line, .list = proc_list };
static struct settings settings;
static struct session_libc libc_functions;
static unsigned sequence TOGETHER; /* number of forks: %n */
static _Atomic uint32_t finished TOGETHER;

static void resolve_output(char *output, size_t size)
{
	const char *slash = strrchr(session.executable, '/');
	char resolved[SETTINGS_TEXT_MAX], host[SPOOL_NAME_MAX + 1] = "";
	struct timespec now = { 0 };
	struct pattern_values values = {
		.pid = (unsigned)sys_getpid(),
		.executable = slash ? slash + 1 : session.executable,
		.host = host,
		.sequence = sequence,
	};
	struct text text = text_into(output, size);

	if (strstr(settings.output, "%{") && readable_strings(__environ))
		values.environment = __environ;
	if (strstr(settings.output, "%h"))
		proc_host(host, sizeof(host));
	sys_clock(CLOCK_REALTIME, &now);
	values.seconds = (uint64_t)now.tv_sec;
	if (pattern_resolve(settings.output, &values, resolved, sizeof(resolved)))
		text_copy(resolved, sizeof(resolved), "flametrap");
	if (resolved[0] != '/') {
		if (sys_getcwd(output, size) > 0 && output[1])
			text.used = strlen(output);
		text_add(&text, "/");
	}
	text_add(&text, resolved);
}

static uint64_t fork_mask TOGETHER; /* under the session's lock */

/* All signals are blocked until after the fork, because a handler of the target may fork too. */
static void before_fork(void)
{
	uint64_t mask;

	if (!session_is_here())
		return;
	mask = sys_signals_block();
	unwind_lock_for_fork();
	disposition_fork_lock();
	session_lock();
	session_fork_begin();
	fork_mask = mask;
}

static void after_fork_parent(void)
{
	uint64_t mask = fork_mask;

	if (!session_is_here())
		return;
	session_fork_end();
	process_marks_add(SPOOL_MARK_FORK, 0);
	session_unlock();
	disposition_fork_unlock();
	unwind_lock_after_fork();
	sys_signals_restore(mask);
}

/* The parent's spool is mapped here too and must not be changed. */
static void after_fork_child(void)
{
	bool out = syscall_dispatch_fork_child();
	int saved = errno;

	thread_ends_fork_child();
	if (!atomic_load_explicit(&session.active, memory_order_relaxed))
		return;
	disposition_fork_unlock();
	if (out) { /* before_fork did not wait for other threads */
		lifecycle_abandon();
		return;
	}
	unwind_lock_after_fork();
	sequence++;
	child_spools_fork();
	atomic_store(&finished, 0); /* for a fork in a destructor that runs after ours */
	if (follow_fork(&settings))
		process_new_spool();
	else
		lifecycle_abandon();
	sys_signals_restore(fork_mask);
	errno = saved;
}

static char dropped_note[sizeof(((struct spool_header *)NULL)->note)]; /* until a new one is made */

bool process_leave_image(void)
{
	if (!settings.collected)
		process_end_before_exec();
	if (!session_is_empty())
		return false;
	text_copy(dropped_note, sizeof(dropped_note), session.spool.header->note);
	spool_alloc_unlink(&session.spool);
	return true;
}

void process_new_spool(void)
{
	static char output[SPOOL_TEXT_MAX]; /* one thread: a fork's child, or exec's caller */

	resolve_output(output, sizeof(output));
	if (!lifecycle_restart(output) && dropped_note[0])
		text_copy(session.spool.header->note, sizeof(dropped_note), dropped_note);
	dropped_note[0] = '\0';
}

static void finish(enum process_end moment)
{
	bool lifted = syscall_dispatch_lift();
	int saved;

	thread_pointer_ask();
	saved = errno;
	if (session_is_here() && !atomic_exchange(&finished, 1)) {
		lifecycle_stop(SPOOL_FINISHED);
		if (!settings.collected)
			process_end_run(&settings, moment);
	}
	syscall_dispatch_lower(lifted);
	errno = saved;
}

/* exit(3) passes on what it was registered with, quick_exit(3) NULL. */
void process_finish(void *orderly)
{
	finish(orderly ? PROCESS_END_ORDERLY : PROCESS_END_SUDDEN);
}

void process_retire(void)
{
	bool lifted = syscall_dispatch_lift();

	if (session_is_here()) {
		thread_end();
		session_spool_note("sampling ended when the program entered a sandbox (seccomp)");
		finish(PROCESS_END_EARLY);
		atomic_store_explicit(&session.active, 0, memory_order_release);
		thread_wait_handlers(); /* the sandbox may apply to all threads */
		sys_go_quiet();
	}
	syscall_dispatch_lower(lifted);
}

/* What other threads still count is not their tracer's, who traces the calling thread alone. */
void process_leave_to_tracer(void)
{
	bool empty = session_is_empty();
	int saved = errno;

	if (!session_is_here())
		return;
	thread_end();
	if (empty) {
		spool_alloc_unlink(&session.spool);
	} else {
		session_spool_note("sampling ended when the process asked to be traced (ptrace)");
		finish(PROCESS_END_EARLY);
	}
	atomic_store_explicit(&session.active, 0, memory_order_release);
	if (proc_threads(0) == 1)
		disposition_stop();
	errno = saved;
}

/* Report an error in the environment only in the first process, not in each of its children. */
static void say_setting(const char *line)
{
	if (follow_is_first())
		notice_tell(line, NULL);
}

/* Report why this process is not profiled.  One of many children must not add to the program's
 * output. */
static void say_of_start(const char *line)
{
	if (settings.log == SETTINGS_LOG_INFO || settings.strict || follow_is_first())
		notice_say(line);
}

/* FLAMETRAP_STRICT: end the program if it cannot be profiled.  The reason was reported before. */
static void stop_if_strict(void)
{
	if (settings.strict)
		sys_exit(STATUS_STRICT);
}

/* The kernel's list of variables is readable; constructors that ran before ours may have set
 * another. */
static bool read_settings(char **initial)
{
	char **list = __environ == initial || readable_strings(__environ) ? __environ : NULL;
	char line[SETTINGS_LINE_MAX];

	follow_begin();
	lookup_use(&lookup);
	settings_defaults(&settings);
	if (settings_env_read(&settings, list, say_setting, line, sizeof(line))) {
		if (settings.log == SETTINGS_LOG_QUIET)
			settings.log = SETTINGS_LOG_ERROR;
		say_setting(line);
		stop_if_strict();
		return false;
	}
	if (settings.mode == SETTINGS_HELP && follow_is_first())
		table_settings(notice_say);
	return settings.mode == SETTINGS_ON;
}

/* True if this process is to be profiled and may be.  Before a sandbox is known, only calls that
 * the loader makes too are made.  A process that would not be followed reports nothing. */
static bool is_followed(void)
{
	const char *objection = sandbox_objection();

	if (!objection)
		return follow_start(&settings);
	if (objection[0] &&
	    ((settings.follow && !settings.follow_glob[0]) || follow_may_be_first()))
		notice_tell(objection, "; the program runs unprofiled", NULL);
	return false;
}

/* True if nothing can be sampled in this program, however it is started, which is reported. */
static bool is_unsuitable(void)
{
	const char *lacking = libc_lacks();

	if (lacking && follow_is_first())
		notice_tell("libc has no ", lacking,
			    ", which sampling needs; the program runs unprofiled", NULL);
	else if (!lacking && !libc_is_used() &&
		 !settings.collected) /* else the command reports it */
		say_setting("the program uses no libc, which sampling needs; it runs unprofiled");
	else if (!lacking && libc_is_used() && raw_calls_is_pure_go())
		say_setting(
			"Go without cgo handles its signals past libc, which sampling needs; the "
			"program runs unprofiled");
	return lacking || !libc_is_used() || raw_calls_is_pure_go();
}

/* An emulator hands its environment to its guest, whose loader cannot load us. */
static void hide_from_guest(const char *executable)
{
	if (executable && emulator_is(executable))
		image_clean_environ(true);
}

static void start(char **initial)
{
	static char output[SPOOL_TEXT_MAX];

	if (getauxval(AT_SECURE))
		return;
	own_file_note();
	hide_from_guest((const char *)getauxval(AT_EXECFN)); /* NOLINT */
	notice_start(&settings);
	if (!read_settings(initial) || !is_followed())
		return;
	if (sandbox_is_simulated()) {
		say_setting("valgrind does not let signals through; the program runs unprofiled");
		return;
	}
	if (is_unsuitable()) {
		stop_if_strict();
		return;
	}
	sys_start();
	libc_functions = (struct session_libc){
		.sigaction = libc_own()->sigaction,
		.foreign = disposition_foreign,
		.claim = disposition_start,
		.say = say_of_start,
	};
	proc_executable(session.executable, sizeof(session.executable));
	hide_from_guest(session.executable);
	resolve_output(output, sizeof(output));
	if (!settings.collected)
		finisher_find();
	session.takes_ended = finisher_is_there();
	if (lifecycle_start(&settings, &libc_functions, output)) {
		disposition_stop();
		stop_if_strict();
		return;
	}
	signal_mask_settle();
	thread_ends_expect();
	__register_atfork(before_fork, after_fork_parent, after_fork_child, &settings);
	__cxa_at_quick_exit(process_finish, &settings);
	/* The destructors of all objects are registered later, so that they run before. */
	__cxa_atexit(process_finish, &settings, NULL);
}

static void begin(int argc, char **argv)
{
	int saved;

	thread_pointer_learn();
	saved = errno;
	real(); /* munmap does not look them up */
	bindings_start();
	proc_arguments_are(argc, argv);
	start(argv + argc + 1); /* where the kernel puts the variables */
	errno = saved;
}

/* glibc passes constructors the arguments of main(). */
__attribute__((constructor)) static void on_load(int argc, char **argv)
{
	bindings_begin_after_libc(begin, argc, argv);
}
