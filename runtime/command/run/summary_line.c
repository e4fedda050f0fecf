/* Numbers come from the spools; nothing is measured here. */
#include "runtime/command/run/collect.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/settings/signals.h"
#include "config/text/text.h"
#include "runtime/command/base/paths.h"
#include "runtime/command/base/status_line.h"
#include "runtime/collect/spools.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/spool/event_scale.h"
#include "runtime/spool/spool_window.h"

#define LINE_BYTES 6144
/* Of each program: exec and the loader, or the end, on a slow machine. */
#define STARTING_NS	   10000000
#define UNSAMPLED_LEAST_NS 50000000

static void add_count(struct text *line, uint64_t number, const char *one, const char *many)
{
	char text[NUMBER_TEXT_SHORT_BYTES];

	number_text_short(text, (double)number);
	text_add_all(line, text, " ", number == 1 ? one : many, NULL);
}

/* Returns whether the kernel side is missing although :u was not requested. */
static bool user_side_only(const struct profile *profile)
{
	for (unsigned i = 0; i < profile_counter_count(profile); i++) {
		const struct spool_counter *counter = profile_counter(profile, i);

		if ((counter->flags & SPOOL_COUNTER_EXCLUDE_KERNEL) &&
		    !memmem(counter->name, SPOOL_NAME_MAX, ":u", 2))
			return true;
	}
	return false;
}

/* Writes ", 3 threads". */
static void add_part(struct text *line, uint64_t number, const char *one, const char *many)
{
	text_add(line, ", ");
	add_count(line, number, one, many);
}

/* The same, unless the number is 0. */
static void add_any(struct text *line, uint64_t number, const char *one, const char *many)
{
	if (number)
		add_part(line, number, one, many);
}

/* Writes "task-clock page-faults, sigtrap, 999 Hz". */
static void add_how(struct text *line, const struct profile *profile)
{
	unsigned count = profile_counter_count(profile);
	char text[128];

	for (unsigned i = 0; i < count; i++) {
		const struct spool_counter *counter = profile_counter(profile, i);

		text_add(line, i ? " " : "");
		text_escaped(line, counter->name, strnlen(counter->name, SPOOL_NAME_MAX), 80);
		if (counter->flags & SPOOL_COUNTER_UNAVAILABLE)
			text_add(line, " (refused)");
		else if (counter->missing)
			text_add(line, " (not found)");
		else if (event_scale_exists(counter)) {
			event_scale_text(counter, profile_total(profile, i).events, text,
					 sizeof(text));
			text_add_all(line, " (", text, ")", NULL);
		}
	}
	notes_engines(profile_summary(profile)->engines, text, sizeof(text));
	text_add_all(line, ", ", text, NULL);
	if (count) {
		notes_rate(profile, 0, text, sizeof(text));
		text_add_all(line, ", ", text, NULL);
	}
	if (user_side_only(profile))
		text_add(line, ", user side only");
}

static void add_overhead(struct text *line, const struct summary_line *summary)
{
	const struct profile_summary *sums = profile_summary(summary->profile);
	uint64_t handler_ns =
		sums->cpu_ns ? sums->cpu_handler_ns : sums->count[SPOOL_COUNT_HANDLER_NS];
	uint64_t cpu_ns = sums->cpu_ns ? sums->cpu_ns : summary->cpu_ns;
	uint64_t permille;

	if (!cpu_ns)
		return;
	permille = (handler_ns * 1000 + cpu_ns / 2) / cpu_ns;
	text_add(line, ", overhead ");
	text_number(line, permille / 10);
	text_add(line, ".");
	text_number(line, permille % 10);
	text_add(line, " %");
}

/* Writes threads, processes and overhead; without samples only unexpected values. */
static void add_extent(struct text *line, const struct summary_line *summary)
{
	const struct profile_summary *sums = profile_summary(summary->profile);
	bool any = sums->count[SPOOL_COUNT_SAMPLES] != 0;

	if (any || sums->threads > 1)
		add_part(line, sums->threads, "thread", "threads");
	if (any || sums->processes > 1)
		add_part(line, sums->processes, "process", "processes");
	if (any || sums->lost)
		add_part(line, sums->lost, "lost", "lost");
	if (any)
		add_overhead(line, summary);
}

#define OFTEN "they switch or start often; --coarse no keeps their clocks"

static void add_threads(struct text *line, const struct profile_summary *sums)
{
	add_any(line, sums->count[SPOOL_COUNT_ATTACH_FAILED], "thread not sampled",
		"threads not sampled");
	add_any(line, sums->count[SPOOL_COUNT_DEGRADED],
		"thread sampled by a timer (its counters were refused)",
		"threads sampled by a timer (their counters were refused)");
	add_any(line, sums->count[SPOOL_COUNT_COARSE],
		"thread without a clock for a while (" OFTEN ")",
		"threads without a clock for a while (" OFTEN ")");
}

static void add_unknown(struct text *line, const struct profile *profile)
{
	char size[128];

	for (unsigned i = 0; i < profile_counter_count(profile); i++) {
		const struct profile_total total = profile_total(profile, i);
		const char *name = profile_counter(profile, i)->name;

		if (!lacks_size(&total.lacks, size, sizeof(size)))
			continue;
		text_add(line, ", ");
		text_escaped(line, name, strnlen(name, SPOOL_NAME_MAX), 80);
		text_add_all(line, " unknown for ", size, NULL);
	}
}

/* Reports why, and what would help, unless the note of the first process already does. */
static void say_unknown(const struct profile *profile)
{
	const struct spool_header *first = profile_first(profile);
	char why[512], text[LINE_BYTES];

	for (unsigned i = 0; i < profile_counter_count(profile); i++) {
		const struct profile_total total = profile_total(profile, i);
		const char *name = profile_counter(profile, i)->name;
		const char *remedy = lacks_remedy(&total.lacks);
		struct text line = text_into(text, sizeof(text));

		if (!lacks_text(&total.lacks, why, sizeof(why)) ||
		    (remedy && first && strstr(first->note, remedy)))
			continue;
		text_escaped(&line, name, strnlen(name, SPOOL_NAME_MAX), 80);
		text_add_all(&line, " is ", why, NULL);
		status_line_text(text);
	}
}

static void add_end(struct text *line, int status)
{
	char name[32];

	if (!WIFSIGNALED(status))
		return;
	signals_name(WTERMSIG(status), name, sizeof(name));
	text_add_all(line, ", killed by ", name, WCOREDUMP(status) ? " (core dumped)" : "", NULL);
}

/* Writes the symbols that no process ever loaded; false if there are none. */
static bool add_missing(struct text *line, const struct profile *profile)
{
	bool any = false;

	for (unsigned i = 0; i < profile_counter_count(profile); i++) {
		const struct spool_counter *counter = profile_counter(profile, i);

		if (!counter->missing)
			continue;
		text_add(line, any ? ", " : "nothing that the program loaded has the symbol of ");
		text_escaped(line, counter->name, strnlen(counter->name, SPOOL_NAME_MAX), 80);
		any = true;
	}
	return any;
}

/* Root may read it although the user that its program became may not. */
static bool is_hidden(char *library, size_t bytes)
{
	char line[PATH_MAX];

	return geteuid() == 0 && !paths_library(library, bytes, line, sizeof(line)) &&
	       !paths_are_open(library);
}

/* Writes why COMMAND left no spool, as far as it can be determined.  The most likely reason comes
 * first: the file of the command, then whether the user that the program became can read the
 * library. */
static void unprofiled_reason(const char *command, enum spools_main main, char *reason,
			      size_t bytes)
{
	char library[PATH_MAX];

	if (main != SPOOLS_MAIN_EXECED && program_refuses(command, reason, bytes))
		return;
	if (is_hidden(library, sizeof(library)))
		snprintf(reason, bytes,
			 "other users cannot read %.256s; install it where they can if the program "
			 "gives up root",
			 library);
	else
		snprintf(reason, bytes, "libflametrap.so was not loaded, or was switched off");
}

/* Writes why nothing was sampled, as far as it can be determined from outside. */
static void add_reason(struct text *line, const struct summary_line *summary)
{
	const struct profile_summary *sums = profile_summary(summary->profile);
	const struct spool_header *first = profile_first(summary->profile);
	char reason[512];

	if (!sums->spools && summary->spools->collection.failed) {
		text_add(line, "no spool could be read");
	} else if (!sums->spools) {
		unprofiled_reason(summary->command, summary->spools->main, reason, sizeof(reason));
		text_add(line, reason);
	} else if (first && spool_window_is_paused(first)) {
		text_add(line, "sampling was paused until the end: flametrap start was never run");
	} else if (first && first->note[0]) {
		text_escaped(line, first->note, strnlen(first->note, sizeof(first->note)), 255);
	} else if (!add_missing(line, summary->profile)) {
		uint64_t cpu_ns = sums->cpu_ns ? sums->cpu_ns : summary->cpu_ns;

		text_add(line, "too few events in ");
		text_number(line, cpu_ns / 1000000);
		text_add(line, ".");
		text_number(line, cpu_ns / 100000 % 10);
		text_add(line, " ms of CPU time");
	}
}

/* Reports a profile that differs from the request, in the words of a preloaded program. */
static void say_downgrade(const struct summary_line *summary)
{
	const struct spool_header *first = profile_first(summary->profile);
	char text[LINE_BYTES];
	struct text line = text_into(text, sizeof(text));

	if (!profile_summary(summary->profile)->count[SPOOL_COUNT_SAMPLES])
		return;
	if (first && first->note[0])
		status_line("%.255s", first->note);
	if (add_missing(&line, summary->profile))
		status_line_text(text);
}

/* True if so much CPU time of the whole is more than what starting programs takes. */
static bool is_worth_a_line(const struct profile_summary *sums, uint64_t ns, uint64_t whole_ns)
{
	uint64_t starting_ns = sums->spools * STARTING_NS + UNSAMPLED_LEAST_NS;

	return ns >= starting_ns && ns - sums->spools * STARTING_NS >= whole_ns / 20;
}

static void say_before(const struct summary_line *summary)
{
	const struct profile_summary *sums = profile_summary(summary->profile);
	char text[256];

	if (is_worth_a_line(sums, sums->before_ns, sums->cpu_ns + sums->before_ns) &&
	    notes_before(summary->profile, text, sizeof(text)))
		status_line("not sampled: %s", text);
}

/* Reports CPU time that wait4(2) counted and no spool has: that of children without the library,
 * and that after its end, if it is more than ending a program takes.  A process that was killed, or
 * goes on, did not record its CPU time. */
static void say_unsampled_cpu(const struct summary_line *summary)
{
	const struct profile_summary *sums = profile_summary(summary->profile);
	uint64_t known_ns = sums->cpu_ns + sums->before_ns;

	if (!sums->spools || sums->killed || summary->spools->survivors.count ||
	    summary->spools->collection.failed || summary->cpu_ns < known_ns ||
	    !is_worth_a_line(sums, summary->cpu_ns - known_ns, summary->cpu_ns))
		return;
	status_line(
		"%.2f s of %.2f s of CPU time are in no profile: children that were not profiled "
		"(static, or started with another environment), or after sampling",
		(double)(summary->cpu_ns - known_ns) / 1e9, (double)summary->cpu_ns / 1e9);
}

void summary_line_say(const struct summary_line *summary)
{
	const struct profile_summary *sums = profile_summary(summary->profile);
	char text[LINE_BYTES];
	struct text line = text_into(text, sizeof(text));

	if (sums->count[SPOOL_COUNT_SAMPLES]) {
		add_count(&line, sums->count[SPOOL_COUNT_SAMPLES], "sample", "samples");
	} else {
		text_add(&line, "no samples: ");
		add_reason(&line, summary);
	}
	if (sums->spools) {
		text_add(&line, " (");
		add_how(&line, summary->profile);
		text_add(&line, ")");
		add_extent(&line, summary);
	}
	add_any(&line, summary->spools->survivors.count, "process still running and read so far",
		"processes still running and read so far");
	add_any(&line, sums->count[SPOOL_COUNT_OVERFLOW_NODES], "in [overflow] (FLAMETRAP_MEMORY)",
		"in [overflow] (FLAMETRAP_MEMORY)");
	add_threads(&line, sums);
	add_unknown(&line, summary->profile);
	add_any(&line, sums->damaged, "damaged spool", "damaged spools");
	add_end(&line, summary->status);
	text_add_all(&line, summary->files[0] ? ", wrote" : "; nothing was written", summary->files,
		     NULL);
	status_line_text(text);
	say_downgrade(summary);
	say_unknown(summary->profile);
	say_before(summary);
	say_unsampled_cpu(summary);
}

void summary_line_unprofiled(const char *executable, const char *command,
			     const struct spools *spools)
{
	char reason[512];

	if (spools->main == SPOOLS_MAIN_PROFILED || !spools->files.count)
		return;
	unprofiled_reason(command, spools->main, reason, sizeof(reason));
	status_line("%.200s %s: %s", executable,
		    spools->main == SPOOLS_MAIN_EXECED
			    ? "was replaced (exec) by a program that was not profiled"
			    : "itself was not profiled",
		    reason);
}
