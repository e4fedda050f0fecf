/*
 * flametrap doctor: tries what works here, and prints each refusal with the setting behind it and
 * the command that changes that setting.
 */
#include <stdbool.h>
#include <stdio.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/inspect/doctor.h"
#include "runtime/collect/spool_search.h"
#include "runtime/command/options/arguments.h"

static const char *const marks[] = {
	[DOCTOR_GOOD] = "good",
	[DOCTOR_LESS] = "less",
	[DOCTOR_BAD] = "bad ",
};

/* The order is such that one finding explains the next. */
static const struct {
	const char *name;
	void (*look)(struct doctor_finding *finding);
	bool needed; /* required for sampling by counters */
} checks[] = {
	{ "rights", doctor_rights, false },
	{ "seccomp", doctor_seccomp, false },
	{ "counters", doctor_counters, true },
	{ "sigtrap", doctor_sigtrap, false },
	{ "kernel side", doctor_kernel_side, false },
	{ "PMU", doctor_pmu, false },
	{ "counter reads", doctor_user_reads, false },
	{ "timers", doctor_timers, true },
	{ "locked memory", doctor_locked_memory, false },
	{ "descriptors", doctor_descriptors, false },
	{ "sample rate", doctor_sample_rate, false },
	{ "kernel stacks", doctor_max_stack, false },
	{ "kernel names", doctor_kernel_names, false },
	{ "tracepoints", doctor_tracepoints, false },
	{ "library", doctor_library, false },
	{ "libunwind", doctor_libunwind, false },
	{ "spool", doctor_spool, false },
};

static void print(const char *name, const struct doctor_finding *finding)
{
	printf("%s  %-14s %s\n", marks[finding->grade], name, finding->text);
	if (finding->remedy[0])
		printf("                      -> %s\n", finding->remedy);
}

const struct manual manual_doctor = {
	.name = "doctor",
	.synopsis = { "doctor" },
	.summary = "say what works here, what is refused, and what would help",
	.text = "Tries what profiling needs on this machine, as this user, and names for each thing "
		"that is refused the setting that refuses it and the command that changes it.",
	.operands = NULL,
	.status = "0; 1 if no program could be sampled at all; 2 for wrong usage.",
	.examples = {
		{ "flametrap doctor", "Everything" },
		{ "flametrap doctor | grep -v ^good", "Only what is missing" },
		{ "flametrap doctor >doctor.txt", "For a bug report" },
		{ "flametrap doctor && flametrap ./app", "Profile only where sampling is possible" },
		{ "flametrap doctor --help", "Print the help text" },
	},
};

int verb_doctor(int argc, char **argv)
{
	bool any = false;
	int status = 2;

	if (arguments_read(&manual_doctor, argc, argv, NULL, &status) < 0)
		return status;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct doctor_finding finding = { .grade = DOCTOR_GOOD };

		checks[i].look(&finding);
		print(checks[i].name, &finding);
		any |= checks[i].needed && finding.grade != DOCTOR_BAD;
	}
	puts(any ? "programs can be sampled here" : "no program can be sampled here");
	if (status_line_flushed())
		return 1;
	spool_search_unfinished();
	return any ? 0 : 1;
}
