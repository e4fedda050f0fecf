#include "runtime/sample/refusal.h"

#include <errno.h>

#include "runtime/sample/plan.h"
#include "runtime/sample/proc.h"
#include "runtime/sample/text.h"

#define LINE_BYTES	512
#define PARANOID_PATH	"/proc/sys/kernel/perf_event_paranoid"
#define PARANOID_ABSENT (-100)

static void add_errno(struct text *text, int err)
{
	const char *name = text_errno(err);

	if (name) {
		text_add(text, name);
		return;
	}
	text_add(text, "errno ");
	text_number(text, (uint64_t)(err < 0 ? -err : err));
}

static void add_paranoid(struct text *text)
{
	int64_t paranoid = proc_number(PARANOID_PATH, PARANOID_ABSENT);

	if (paranoid == PARANOID_ABSENT) {
		text_add(text, "kernel.perf_event_paranoid cannot be read");
		return;
	}
	text_add(text, "kernel.perf_event_paranoid is ");
	if (paranoid < 0)
		text_add(text, "-");
	text_number(text, (uint64_t)(paranoid < 0 ? -paranoid : paranoid));
}

/* The cause, as far as errno tells it (perf_event_open(2), ERRORS). */
static void add_cause(struct text *text, int err)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		add_paranoid(text);
		text_add(text, ", or a seccomp filter; sysctl kernel.perf_event_paranoid=2 or "
			       "CAP_PERFMON would help");
		break;
	case ENOSYS:
		text_add(text, "the kernel or a seccomp filter has no perf_event_open");
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		text_add(text, "this machine has no such counter; -e task-clock works everywhere");
		break;
	case EINVAL:
	case E2BIG:
		text_add(text, "the kernel does not know this form of event; SIGTRAP on overflow "
			       "needs Linux 5.13");
		break;
	case EMFILE:
	case ENFILE:
		text_add(text, "no descriptor is free");
		break;
	default:
		text_add(text, "the kernel refused");
	}
}

void refusal_say(void (*say)(const char *line), const struct plan *plan)
{
	char line[LINE_BYTES];
	struct text text = text_into(line, sizeof(line));

	text_add(&text, "flametrap: perf_event_open refused ");
	text_add(&text, plan->asked);
	text_add(&text, " (");
	add_errno(&text, plan->refused);
	text_add(&text, "): ");
	add_cause(&text, plan->refused);
	text_add(&text, "; the program runs unprofiled");
	say(line);
}

void refusal_say_spool(void (*say)(const char *line), int err)
{
	char line[LINE_BYTES];
	struct text text = text_into(line, sizeof(line));

	text_add(&text, "flametrap: the spool cannot be made (");
	add_errno(&text, err);
	text_add(&text, err == -EFBIG ? "): the file size limit (ulimit -f) is too small"
				      : "): set FLAMETRAP_SPOOL to a directory with room");
	text_add(&text, "; the program runs unprofiled");
	say(line);
}

void refusal_say_thread(void (*say)(const char *line), int err)
{
	char line[LINE_BYTES];
	struct text text = text_into(line, sizeof(line));

	text_add(&text, "flametrap: the counters of the main thread cannot be opened (");
	add_errno(&text, err);
	text_add(&text, "): ");
	if (err == -EPERM || err == -ENOMEM)
		text_add(&text, "kernel.perf_event_mlock_kb and ulimit -l bound their buffers");
	else
		add_cause(&text, err);
	text_add(&text, "; the program runs unprofiled");
	say(line);
}

void refusal_note(const struct plan *plan, char *note, size_t size)
{
	struct text text = text_into(note, size);

	if (plan->refused) {
		text_add(&text, plan->asked);
		text_add(&text, " not counted (");
		add_errno(&text, plan->refused);
		text_add(&text, "): ");
		add_cause(&text, plan->refused);
	}
}
