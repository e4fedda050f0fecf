/* Every errno of perf_event_open(2), injected by a seccomp filter, is explained in one line. */

#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "config/events/perf_errors.h"
#include "config/settings/settings.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/plan/plan_make.h"
#include "tests/support/system.h"
#include "tests/support/unit.h"

#define LINE_BYTES    1024
#define NO_SECCOMP    77
#define ACTION(value) BPF_STMT(BPF_RET | BPF_K, (value))

static struct settings settings;
static struct plan plan;
static char note[256];

UNIT(setup)
{
	settings_defaults(&settings);
	settings.frequency_hz = 999;
	return 0;
}

/* Returns the answer of the kernel. */
static int plan_events(const char *events)
{
	struct complaint complaint;

	assert_int_equal(events_parse(&settings.events, events, &complaint), 0);
	return plan_counters(&plan, &settings, "", SPOOL_ENGINE_SIGTRAP);
}

/* Skips if the kernel refuses all counters; it counts the first one and not the second. */
static void plan_first_only(const char *events)
{
	if (plan_events(events))
		skip();
	assert_true(plan.available[0]);
	if (plan.refused == -ENOSPC || plan.refused == -EOPNOTSUPP)
		skip(); /* no breakpoint registers here */
	assert_false(plan.available[1]);
	refusal_note(&plan, note, sizeof(note));
}

static int inject(int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		ACTION(SECCOMP_RET_ERRNO | (uint32_t)err),
		ACTION(SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

static int line_pipe;

static void say(const char *line)
{
	if (write(line_pipe, line, strlen(line)) != (ssize_t)strlen(line))
		_exit(3);
}

/* In a child, which keeps the filter for the rest of its life. */
static void plan_under(int err)
{
	if (inject(err))
		_exit(NO_SECCOMP);
	if (plan_events("page-faults") != -err)
		_exit(5);
	refusal_say(say, &plan);
	_exit(0);
}

/* The line that a process says whose perf_event_open answers so; skips where nothing can be
 * injected. */
static void said_under(int err, char *line)
{
	int ends[2], code;
	ssize_t length;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		line_pipe = ends[1];
		plan_under(err);
	}
	close(ends[1]);
	length = read(ends[0], line, LINE_BYTES - 1);
	close(ends[0]);
	code = child_end(child);
	if (code == NO_SECCOMP)
		skip();
	assert_int_equal(code, 0);
	assert_true(length > 0);
	line[length] = '\0';
}

TEST(every_errno_of_the_manual_page_has_its_sentence)
{
	static const int named[] = { E2BIG,	 EACCES,    EBADF,  EBUSY,  EFAULT, EINTR,
				     EINVAL,	 EMFILE,    ENODEV, ENOENT, ENOSPC, ENOSYS,
				     EOPNOTSUPP, EOVERFLOW, EPERM,  ESRCH };

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		const struct perf_error *error = perf_errors_find(named[i]);

		if (!error)
			fail_msg("errno %d has no sentence", named[i]);
		assert_ptr_equal(perf_errors_find(-named[i]), error);
		for (size_t other = 0; other < i; other++)
			if (named[i] != ENODEV && named[i] != ENOENT &&
			    !(named[i] == EPERM && named[other] == EACCES))
				assert_string_not_equal(error->cause,
							perf_errors_find(named[other])->cause);
	}
	assert_null(perf_errors_find(EXDEV));
}

TEST(an_injected_errno_is_said_with_its_cause_and_remedy)
{
	for (size_t i = 0; i < perf_errors_count; i++) {
		const struct perf_error *error = &perf_errors_table[i];
		char line[LINE_BYTES], start[128];

		if (!error->name)
			continue; /* never the kernel's answer */
		said_under(error->err, line);
		if (error->err == EPERM || error->err == ENOSYS)
			error = &perf_errors_filtered; /* and so it was */
		snprintf(start, sizeof(start),
			 "flametrap: perf_event_open refused page-faults (%s): ",
			 perf_errors_table[i].name);
		if (strncmp(line, start, strlen(start)) != 0 || !strstr(line, error->cause) ||
		    (error->remedy && !strstr(line, error->remedy)) || strchr(line, '\n'))
			fail_msg("%s: %s", perf_errors_table[i].name, line);
	}
}

TEST(an_errno_that_nobody_names_is_said_by_its_number)
{
	char line[LINE_BYTES];

	said_under(EXDEV, line);
	assert_non_null(strstr(line, "(errno 18): the kernel refused"));
}

TEST(a_counter_that_happens_in_the_kernel_is_refused_on_the_user_side)
{
	settings.kernel = SETTINGS_KERNEL_NO;
	plan_first_only("page-faults,context-switches");
	assert_string_equal(
		note, "not counted: context-switches: the event happens in the kernel only, and "
		      "the kernel side is not counted here; use FLAMETRAP_KERNEL=yes without :u, "
		      "and sysctl kernel.perf_event_paranoid=1 or CAP_PERFMON");
}

TEST(a_clock_that_an_nmi_cannot_read_is_no_clock_of_a_breakpoint)
{
	plan_first_only("page-faults/clockid=tai/u,mem:0x1000/8:w/clockid=tai/u");
	assert_int_equal(plan.attr[0].clockid, CLOCK_TAI);
	assert_non_null(strstr(note, "the kernel takes time stamps only from clocks that can be "
				     "read in an NMI; use clockid=monotonic or monotonic_raw"));
}

static unsigned asked; /* how often the filter was asked for */

static bool filtered(void)
{
	asked++;
	return true;
}

static bool unfiltered(void)
{
	asked++;
	return false;
}

TEST(a_filter_explains_only_what_filters_answer)
{
	asked = 0;
	assert_ptr_equal(perf_errors_explain(-EPERM, filtered), &perf_errors_filtered);
	assert_ptr_equal(perf_errors_explain(ENOSYS, filtered), &perf_errors_filtered);
	assert_ptr_equal(perf_errors_explain(-EPERM, unfiltered), perf_errors_find(EPERM));
	assert_int_equal(asked, 3);
	assert_ptr_equal(perf_errors_explain(-EACCES, filtered), perf_errors_find(EACCES));
	assert_null(perf_errors_explain(-EXDEV, filtered));
	assert_int_equal(asked, 3);
}
