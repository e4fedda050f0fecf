/*
 * A parent that is profiled too writes the profile, or else the command, or else we ourselves:
 * folded stacks with fewer names, beside the spool, which is kept.
 */
#include "preload/process/process_end.h"

#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

#include "config/settings/settings.h"
#include "config/text/text.h"
#include "preload/process/follow.h"
#include "preload/process/notice.h"
#include "runtime/sample/session/pending_watch.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/spool_window.h"

static void say_kept(const char *why)
{
	notice_tell(why, "; the samples are kept in ", session.spool.path, " (flametrap recover)",
		    NULL);
}

static void add_reason(struct text *text)
{
	struct spool_header *header = session.spool.header;
	uint64_t from_ns = atomic_load_explicit(&header->window_from_ns, memory_order_relaxed);

	if (spool_window_is_paused(header)) {
		text_add(text, "sampling was paused until the end: flametrap start was never run");
	} else if (pending_watch_explain(text)) {
		return;
	} else if (from_ns > machine_time_now_ns()) {
		text_add(text, "the program ended before sampling was to start");
	} else {
		text_add(text, session.plan.events.event[0].name);
		text_add(text, " did not overflow in the ");
		text_number(text, header->cpu_ns / 1000);
		text_add(text, " us of CPU time that the program used; a higher -F or a lower -c "
			       "would help");
	}
}

/* Remove an empty spool and say why it is empty, but only in the process that the user started. */
static void drop_empty(const struct settings *settings)
{
	char line[256];
	struct text text = text_into(line, sizeof(line));

	spool_alloc_unlink(&session.spool);
	if (settings->log == SETTINGS_LOG_QUIET || !notice_owns_stderr())
		return; /* the parent need not be looked at */
	if (settings->log != SETTINGS_LOG_INFO && !follow_is_first())
		return;
	add_reason(&text);
	notice_tell("no samples: ", line, NULL);
}

static void say_missing(void)
{
	char line[512];
	struct text text = text_into(line, sizeof(line));

	if (pending_watch_explain(&text) && follow_is_first())
		notice_tell(line, NULL);
}

/* If the target goes on, its first child may have to be its own. */
static bool may_run_writer(enum process_end moment)
{
	return finisher_is_there() && !(moment == PROCESS_END_EARLY && proc_children_are_apart());
}

/* The arguments and the result are those of finisher_run(). */
static int write_with_command(const char *first, const char *second, enum process_end moment)
{
	static const struct itimerval none;
	struct itimerval alarm;
	bool stopped;
	int status;

	if (!may_run_writer(moment))
		return FINISHER_NOT_RUN;
	/* without us the program would have ended by now, before its alarm(2) */
	stopped = moment != PROCESS_END_EARLY && !sys_setitimer(&none, &alarm);
	status = finisher_run(first, second);
	if (stopped && timerisset(&alarm.it_value))
		sys_setitimer(&alarm, NULL);
	return status;
}

/* The spools to be written. */
struct task {
	const char *first, *second; /* as in write_with_command() */
	enum process_end moment;
	bool own; /* our own spool is among them, not only those that children left */
};

static void write_task(void *context)
{
	const struct task *task = context;
	int status = write_with_command(task->first, task->second, task->moment);

	if (!task->own)
		return;
	if (status > FINISHER_KILLED && !sys_access(session.spool.path, F_OK))
		say_kept("the command that writes the profile was killed");
	if (status != FINISHER_NOT_RUN)
		return; /* it wrote the profile, or reported its error itself */
	if (fallback_write(&session.spool, task->moment == PROCESS_END_ORDERLY))
		say_kept("neither the flametrap command nor the library could write the profile");
	else
		say_kept("the flametrap command could not be run: folded stacks were written with "
			 "exported names only");
}

/* The target goes on to its end meanwhile, if that end can be kept from being seen.  The loader is
 * then not asked for names: other threads may have held its locks. */
static void write_at(const struct task *task)
{
	static struct task kept;

	kept = *task;
	kept.moment = PROCESS_END_SUDDEN;
	if (task->moment == PROCESS_END_EARLY || !finisher_is_there() ||
	    !exit_supervisor_start(write_task, &kept))
		write_task((void *)task);
}

static void pass_on(const char *children, enum process_end moment)
{
	struct task task = { .first = children, .moment = moment };

	if (children && child_spools_give(children, &task.second) != CHILD_SPOOLS_GIVEN)
		write_at(&task);
}

void process_end_before_exec(void)
{
	const char *list;

	/* under its old name, by which the processes that add to the list know our spool */
	pass_on(child_spools_own_list(), PROCESS_END_EARLY);
	if (session_is_empty())
		return;
	child_spools_number_image();
	child_spools_give(session.spool.path, &list);
}

void process_end_run(const struct settings *settings, enum process_end moment)
{
	struct task task = { .first = session.spool.path, .moment = moment, .own = true };

	if (session_is_empty() && !child_spools_has_images()) {
		pass_on(child_spools_own_list(), moment);
		drop_empty(settings);
		return;
	}
	say_missing();
	if (child_spools_give(session.spool.path, &task.second) != CHILD_SPOOLS_GIVEN)
		write_at(&task);
}
