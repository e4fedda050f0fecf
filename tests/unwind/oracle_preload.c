/*
 * The oracle over a whole foreign program.  Preloaded, it steps the main thread from the
 * constructor on, for ORACLE_STEPS instructions.  It writes one line of counts, and one for each
 * symbol that was not right, to the file ORACLE_REPORT.  To ORACLE_ADDRESSES, if set, it writes
 * one line "object 0xADDRESS" (the address in the object's file) for each different instruction.
 * With ORACLE_SKIP, calls that show nothing new are not stepped (oracle_skip.c).  With
 * ORACLE_THREAD, stepping begins in the thread that gives itself this name, also in a program that
 * is executed.
 */
#include <stdarg.h>
#include <sys/stat.h>

#include "tests/unwind/oracle.h"
#include "tests/support/libc.h"

/* Read at the start: programs clear their environment, or write their titles over it. */
static const char *report_path, *addresses_path, *thread_name;
static uint64_t steps;
static bool at_umask;
static pid_t process;

static void report_address(uint64_t address, void *file)
{
	Dl_info info = { .dli_fname = "?" };
	const char *slash;

	dladdr((void *)address, &info);
	slash = strrchr(info.dli_fname, '/');
	fprintf(file, "%s 0x%lx\n", slash ? slash + 1 : info.dli_fname,
		address - (uint64_t)info.dli_fbase);
}

/* Returns a copy of a variable of the environment.  NULL: it is not set. */
static const char *copy_of(const char *name)
{
	const char *value = getenv(name);

	return value ? strdup(value) : NULL;
}

static void report_addresses(void)
{
	FILE *file = addresses_path ? fopen(addresses_path, "we") : NULL;

	if (!file)
		return;
	oracle_each_address(report_address, file);
	fclose(file);
}

static void report(void)
{
	FILE *file;

	if (!process || getpid() != process)
		return;
	oracle_end();
	file = fopen(report_path, "we");
	if (!file)
		return;
	oracle_print_counts(file);
	oracle_print_wrong(file, ORACLE_WRONG_MAX);
	fclose(file);
	report_addresses();
}

/* A program that leaves by _exit passes no destructor. */
void _exit(int status)
{
	report();
	for (;;)
		syscall(SYS_exit_group, status);
}

static void start(void)
{
	process = getpid();
	if (oracle_start() || (getenv("ORACLE_SKIP") && oracle_skip_start())) {
		fprintf(stderr, "oracle: cannot start\n");
		exit(99);
	}
	oracle_cold = getenv("ORACLE_COLD") != NULL;
	atexit(report);
	oracle_begin(steps);
}

int pthread_setname_np(pthread_t thread, const char *name)
{
	int (*next)(pthread_t thread, const char *name) = dlsym(RTLD_NEXT, "pthread_setname_np");
	sigset_t trap;

	if (thread_name && !process && thread == pthread_self() && !strcmp(name, thread_name)) {
		sigemptyset(&trap);
		sigaddset(&trap, SIGTRAP);
		pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
		start();
	}
	return next(thread, name);
}

mode_t umask(mode_t mask)
{
	if (at_umask && !process)
		start();
	return (mode_t)syscall(SYS_umask, mask);
}

__attribute__((constructor)) static void begin(void)
{
	const char *wanted = getenv("ORACLE_STEPS");

	report_path = copy_of("ORACLE_REPORT");
	addresses_path = copy_of("ORACLE_ADDRESSES");
	thread_name = copy_of("ORACLE_THREAD");
	if (!wanted || !report_path)
		return;
	steps = strtoull(wanted, NULL, 10);
	at_umask = getenv("ORACLE_UMASK") != NULL;
	if (thread_name)
		return;
	unsetenv("LD_PRELOAD");
	if (at_umask)
		return;
	start();
}
