/*
 * The single checks of `flametrap doctor`.  Each check tries something, and reports its observation
 * and a remedy in one line each.
 */
#ifndef RUNTIME_COMMAND_INSPECT_DOCTOR_H
#define RUNTIME_COMMAND_INSPECT_DOCTOR_H

enum doctor_grade {
	DOCTOR_GOOD,
	DOCTOR_LESS, /* works only in part */
	DOCTOR_BAD,
};

struct doctor_finding {
	enum doctor_grade grade;
	char text[400];
	char remedy[400]; /* empty: nothing to do */
};

/* Fill in the finding by printf's format; `remedy` NULL: nothing to do. */
void doctor_find(struct doctor_finding *finding, enum doctor_grade grade, const char *remedy,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* doctor_counters.c: our permissions, the kernel's answers, and whether overflow and timer signals
 * arrive. */
void doctor_rights(struct doctor_finding *finding);
void doctor_seccomp(struct doctor_finding *finding);
void doctor_counters(struct doctor_finding *finding);
void doctor_kernel_side(struct doctor_finding *finding);
void doctor_pmu(struct doctor_finding *finding);
void doctor_user_reads(struct doctor_finding *finding);
void doctor_tracepoints(struct doctor_finding *finding);
void doctor_sigtrap(struct doctor_finding *finding);
void doctor_timers(struct doctor_finding *finding);

/* doctor_machine.c: how many resources are available, and files that must exist in their places. */
void doctor_locked_memory(struct doctor_finding *finding);
void doctor_descriptors(struct doctor_finding *finding);
void doctor_sample_rate(struct doctor_finding *finding);
void doctor_max_stack(struct doctor_finding *finding);
void doctor_kernel_names(struct doctor_finding *finding);
void doctor_library(struct doctor_finding *finding);
void doctor_libunwind(struct doctor_finding *finding);
void doctor_spool(struct doctor_finding *finding);

#endif
