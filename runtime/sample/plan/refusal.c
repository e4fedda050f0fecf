/*
 * A line names the setting that refuses, its value, and the value that would allow it.  The table
 * of errnos is in perf_errors.h.
 */
#include "runtime/sample/plan/plan_make.h"

#include <errno.h>
#include <stdbool.h>

#include "config/events/perf_errors.h"
#include "config/text/text.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/sys/proc.h"

#define LINE_BYTES 512

/* Adds " (EACCES)", or nothing if the refusal did not come from the kernel. */
static void add_errno(struct text *text, int err)
{
	const struct perf_error *error = perf_errors_find(err);
	const char *name = error ? error->name : text_errno(err);

	if (error && !name)
		return;
	text_add_all(text, " (", name ? name : "errno ", NULL);
	if (!name)
		text_number(text, (uint64_t)(err < 0 ? -err : err));
	text_add(text, ")");
}

static bool is_ours(int err)
{
	const struct perf_error *error = perf_errors_find(err);

	return error && !error->name;
}

static void add_paranoid(struct text *text)
{
	int64_t paranoid = proc_number(PERF_PARANOID_FILE, PERF_PARANOID_ABSENT);

	if (paranoid == PERF_PARANOID_ABSENT) {
		text_add(text, "kernel.perf_event_paranoid cannot be read");
		return;
	}
	text_add_all(text, "kernel.perf_event_paranoid is ", paranoid < 0 ? "-" : "", NULL);
	text_number(text, (uint64_t)(paranoid < 0 ? -paranoid : paranoid));
}

/* Adds the cause, as far as errno and the present settings show it, and what would help. */
static void add_cause(struct text *text, int err)
{
	const struct perf_error *error = perf_errors_explain(err, proc_is_filtered);

	text_add(text, error ? error->cause : "the kernel refused");
	if (error && error != &perf_errors_filtered && (err == -EACCES || err == -EPERM)) {
		text_add(text, " (");
		add_paranoid(text);
		text_add(text, ")");
	}
	if (error && error->remedy)
		text_add_all(text, "; ", error->remedy, NULL);
}

void refusal_say(void (*say)(const char *line), const struct plan *plan)
{
	char line[LINE_BYTES];
	struct text text = text_into(line, sizeof(line));

	text_add_all(&text, "flametrap: ",
		     is_ours(plan->refused) ? "cannot count " : "perf_event_open refused ",
		     plan->asked, NULL);
	add_errno(&text, plan->refused);
	text_add(&text, ": ");
	add_cause(&text, plan->refused);
	text_add(&text, "; the program runs unprofiled");
	say(line);
}

void refusal_say_spool(void (*say)(const char *line), int err)
{
	char line[LINE_BYTES];
	struct text text = text_into(line, sizeof(line));

	text_add(&text, "flametrap: the spool cannot be created");
	add_errno(&text, err);
	if (err == -EFBIG)
		text_add(&text, ": the file size limit (ulimit -f) is too small");
	else if (err == -EACCES)
		text_add(&text, ": this user cannot create files there; FLAMETRAP_SPOOL (flametrap "
				"--spool) chooses another directory");
	else
		text_add(&text, ": set FLAMETRAP_SPOOL to a directory with room");
	text_add(&text, "; the program runs unprofiled");
	say(line);
}

void refusal_say_thread(void (*say)(const char *line), int err)
{
	char line[LINE_BYTES];
	struct text text = text_into(line, sizeof(line));

	text_add(&text, "flametrap: the counters of the main thread cannot be opened");
	add_errno(&text, err);
	text_add(&text, ": ");
	if (err == -EPERM || err == -ENOMEM)
		text_add(&text, "kernel.perf_event_mlock_kb and ulimit -l limit their buffers");
	else
		add_cause(&text, err);
	text_add(&text, "; the program runs unprofiled");
	say(line);
}

static void add_without(struct text *text, const struct plan *plan)
{
	for (unsigned i = 1; i < plan->events.count; i++)
		text_add_all(text, i == 1 ? ", without " : " ", plan->events.event[i].name, NULL);
}

static void add_note(struct text *text, const struct plan *plan)
{
	bool timer = plan->engine == SPOOL_ENGINE_TIMER;

	text_add_all(text,
		     !timer		      ? "not counted: "
		     : is_ours(plan->refused) ? "cannot count "
					      : "perf_event_open refused ",
		     plan->asked, NULL);
	add_errno(text, plan->refused);
	if (timer) {
		text_add(text, ", using per-thread CPU timers");
		add_without(text, plan);
	}
	text_add(text, ": ");
	add_cause(text, plan->refused);
}

static void add_rate(struct text *text, const struct plan *plan)
{
	text_add(text, plan->refused || plan->spared ? "; " : "");
	text_number(text, plan->freq_asked_hz);
	text_add(text, " Hz were asked for, and kernel.perf_event_max_sample_rate allows ");
	text_number(text, plan->freq_limit_hz);
}

static void add_microseconds(struct text *text, uint64_t ns)
{
	text_number(text, ns / 1000);
	text_add(text, ".");
	text_number(text, ns / 100 % 10);
	text_add(text, " us");
}

static void add_raised(struct text *text, const struct plan *plan)
{
	if (plan->cost_ns) {
		text_add(text, "a sample costs ");
		add_microseconds(text, plan->cost_ns);
		text_add(text, " here, so ");
	}
	text_add(text, "the period is ");
	add_microseconds(text, plan->raised_to_ns);
	text_add(text, " and not ");
	add_microseconds(text, plan->raised_from_ns);
}

void refusal_note(const struct plan *plan, char *note, size_t size)
{
	struct text text = text_into(note, size);

	if (plan->refused)
		add_note(&text, plan);
	else if (plan->spared)
		text_add_all(&text, "the kernel side is left out: ", plan->spared,
			     " (--kernel=yes counts it anyway)", NULL);
	if (plan->freq_asked_hz)
		add_rate(&text, plan);
	if (plan->raised_to_ns) {
		text_add(&text, text.used ? "; " : "");
		add_raised(&text, plan);
	}
}

void refusal_say_less(void (*say)(const char *line), const struct plan *plan)
{
	char line[LINE_BYTES];
	struct text text = text_into(line, sizeof(line));

	if (plan->refused) {
		text_add(&text, "flametrap: ");
		add_note(&text, plan);
		say(line);
	}
	if (plan->raised_to_ns) {
		text = text_into(line, sizeof(line));
		text_add(&text, "flametrap: ");
		add_raised(&text, plan);
		say(line);
	}
}
