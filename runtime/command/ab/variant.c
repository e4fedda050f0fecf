/*
 * Between the two readings of the clock are only the start of the command, its run, and its end.
 * What we do ourselves (reading spools, names) comes between the runs, where it disturbs none.
 */
#include "runtime/command/ab/ab.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/settings/settings.h"
#include "runtime/collect/spools.h"
#include "runtime/command/base/kernel_access.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual.h"

#define OWN_SLACK_KIB 64

/* The fields of "cpu" in /proc/stat: user nice system idle iowait irq softirq steal (proc_stat(5)).
 */
#define CPU    "cpu "
#define FIELDS 8
#define IDLE   3
#define IOWAIT 4

/* Returns the time that all processors together were busy since the machine started, ours and that
 * of other guests of its host included; 0 if the kernel does not tell. */
static uint64_t busy_time_ns(void)
{
	long ticks_per_second = sysconf(_SC_CLK_TCK);
	unsigned long long ticks = 0;
	char line[512], *next = line + strlen(CPU);

	if (ticks_per_second <= 0 || !kernel_limits_line("/proc/stat", line, sizeof(line)) ||
	    strncmp(line, CPU, strlen(CPU)) != 0)
		return 0;
	for (int i = 0; i < FIELDS; i++) {
		char *field = next;
		unsigned long long value = strtoull(field, &next, 10);

		if (next == field)
			return 0;
		ticks += i == IDLE || i == IOWAIT ? 0 : value;
	}
	return ticks * (1000000000u / (unsigned long)ticks_per_second);
}

/* A function with a quarter of the time of a run of 1 s that becomes 8 % slower changes by 20 ms.
 * Ten pairs of runs have to show that among some 40 values of functions, which takes a change of
 * 5.4 standard errors.  Sampling alone makes an error of 6.2 ms at the 999 Hz of a run, and of
 * 2.2 ms at 8 kHz; in simulated runs the change is found in 1 of 100 comparisons at 1 kHz, in 73 at
 * 4 kHz, 95 at 6 kHz and 99 at 8 kHz.  What this leaves for the variation between runs is worth its
 * cost, which both variants pay: 16 to 25 us for each sample on a virtual machine.  A prime number
 * stays out of step with what the program does regularly. */
static const struct launch_default defaults[] = {
	{ offsetof(struct settings, formats), "spool" },
	{ offsetof(struct settings, frequency_hz), MANUAL_AB_FREQUENCY }, /* not with a period */
	{ 0 },
};

static void make_label(char **words, char *label, size_t bytes)
{
	size_t used = 0;

	for (size_t i = 0; words[i] && used < bytes; i++)
		used += (size_t)snprintf(label + used, bytes - used, "%s%s", i ? " " : "",
					 words[i]);
	if (used >= bytes)
		memcpy(label + bytes - 4, "...", 4);
}

int variant_prepare(struct variant *variant, const struct ab_options *options, enum runs_side which,
		    void (*warn)(const char *line), char *line, size_t bytes)
{
	struct launch *launch = &variant->launch;
	int err;

	variant->lock = -1;
	launch->command = options->command[which];
	launch->options = options->settings;
	make_label(launch->command, variant->label, sizeof(variant->label));
	err = launch_settings(launch, defaults, warn, line, bytes);
	if (err)
		return err;
	variant->off = launch->settings.mode != SETTINGS_ON;
	if (variant->off)
		return 0;
	err = launch_find(launch, line, bytes);
	/* --prepare may make it */
	if (!err && !launch->file[0] && !options->prepare) {
		snprintf(line, bytes, "%.300s: %s", launch->command[0], strerror(ENOENT));
		err = -ENOENT;
	}
	return err ? err : launch_check(launch, line, bytes);
}

void variant_free(struct variant *variant)
{
	environment_free(&variant->launch.environment);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Open a file with a number above those of the standard streams. */
static int open_above(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);
	int above = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int err = -errno;

	if (fd >= 0)
		close(fd);
	return above < 0 ? err : above;
}

static double seconds_ns(struct timeval time)
{
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static void take_usage(struct variant_run *run, uint64_t wall_ns, uint64_t busy_ns)
{
	const struct rusage *usage = &run->child.usage;
	double *value = run->value;
	double other;

	value[VARIANT_WALL] = (double)wall_ns;
	value[VARIANT_USER] = seconds_ns(usage->ru_utime);
	value[VARIANT_SYS] = seconds_ns(usage->ru_stime);
	value[VARIANT_CPU] = value[VARIANT_USER] + value[VARIANT_SYS];
	value[VARIANT_MAX_RSS] = (double)usage->ru_maxrss * 1024;
	value[VARIANT_PAGE_FAULTS] = (double)usage->ru_minflt + (double)usage->ru_majflt;
	value[VARIANT_CONTEXT_SWITCHES] = (double)usage->ru_nvcsw + (double)usage->ru_nivcsw;
	other = (double)busy_ns - value[VARIANT_CPU];
	value[VARIANT_OTHER_LOAD] = other > 0 ? other : 0;
}

/* Pages that cannot be written are those of the file, which the kernel maps again when they are
 * used. */
static int drop_code(struct dl_phdr_info *object, size_t bytes, void *context)
{
	(void)bytes;
	(void)context;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t from = object->dlpi_addr + part->p_vaddr;
		uintptr_t start = from & ~((uintptr_t)getpagesize() - 1);

		if (part->p_type == PT_LOAD && !(part->p_flags & PF_W))
			madvise((void *)start, from - start + part->p_memsz, MADV_DONTNEED);
	}
	return 0;
}

/* proc_pid_clear_refs(5): 5 sets the peak to the present size. */
static void reset_peak(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "5", 1) < 0)
		errno = 0; /* then the old peak is what counts */
	close(fd);
}

/* The memory of this process, which the kernel counts as a program's: what a process had before
 * exec belongs to its greatest resident size (getrusage(2)), and a child made by vfork has ours.
 * Give back what is free and what can be read again from files, and return our size in KiB: a
 * program that is started now has at least that as its ru_maxrss, whatever it needs.  UINT64_MAX if
 * it is not known. */
static uint64_t own_memory_kib(void)
{
	uint64_t kib;

	malloc_trim(0);
	dl_iterate_phdr(drop_code, NULL);
	reset_peak();
	return kernel_limits_status("VmHWM:", "%" SCNu64, &kib) ? kib : UINT64_MAX;
}

/* Start, wait, and measure.  Returns 0; or -errno with `line` filled. */
static int run_program(const struct child_program *program, const struct child_signals *signals,
		       struct variant_run *run, char *line, size_t bytes)
{
	uint64_t own_kib = own_memory_kib();
	uint64_t busy_ns = busy_time_ns();
	uint64_t start_ns = now_ns(), end_ns;
	bool forked;
	int err = child_start(&run->child, signals, program, &forked);

	if (err)
		return refuse(line, bytes, err, "%.300s: %s",
			      forked ? program->argv[0] : "cannot start a process", strerror(-err));
	err = child_wait(&run->child);
	end_ns = now_ns();
	if (err)
		return refuse(line, bytes, err, "cannot wait for %.300s: %s", program->argv[0],
			      strerror(-err));
	take_usage(run, end_ns - start_ns, busy_time_ns() - busy_ns);
	/* pages that the child touches before exec are ours too */
	run->hides_memory = own_kib > UINT64_MAX - OWN_SLACK_KIB ||
			    (uint64_t)run->child.usage.ru_maxrss <= own_kib + OWN_SLACK_KIB;
	if (!run->child.ending)
		run->child.ending = child_ending();
	return run->child.ending ? -EINTR : 0;
}

/* --prepare runs as the user would run it: without our library. */
static int run_prepare(const struct ab_options *options, const struct child_signals *signals,
		       int output, struct variant_run *run, char *line, size_t bytes)
{
	char shell[] = "sh", flag[] = "-c";
	char *argv[] = { shell, flag, (char *)options->prepare, NULL };
	const struct child_program program = {
		.argv = argv,
		.environment = environ,
		.input = -1,
		.output = output,
	};
	int status, err = run_program(&program, signals, run, line, bytes);

	if (err)
		return err;
	status = child_exit_status(&run->child);
	if (!status)
		return 0;
	return refuse(line, bytes, -ECANCELED, "--prepare ended with status %d", status);
}

int variant_check_input(const struct ab_options *options, char *line, size_t bytes)
{
	const char *path = options->input;
	struct stat st;

	if (!path)
		return 0;
	if (stat(path, &st) || access(path, R_OK)) {
		int err = -errno;

		return refuse(line, bytes, err, "--input %.300s: %s", path, strerror(-err));
	}
	if (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))
		return 0;
	return refuse(line, bytes, -EINVAL,
		      "--input %.300s: not a file that each run can read from its beginning", path);
}

static int open_streams(const struct ab_options *options, struct child_program *program, char *line,
			size_t bytes)
{
	const char *input = options->input ? options->input : "/dev/null";

	program->input = open_above(input, O_RDONLY);
	if (program->input < 0) {
		snprintf(line, bytes, "%s%.300s: %s", options->input ? "--input " : "", input,
			 strerror(-program->input));
		return program->input;
	}
	program->output = options->show_output ? -1 : open_above("/dev/null", O_WRONLY);
	if (options->show_output || program->output >= 0)
		return 0;
	snprintf(line, bytes, "/dev/null: %s", strerror(-program->output));
	return program->output;
}

static int start(struct variant *variant, const struct ab_options *options,
		 const struct child_signals *signals, struct child_program *program,
		 struct variant_run *run, char *line, size_t bytes)
{
	int err = 0;

	if (options->prepare)
		err = run_prepare(options, signals, program->output, run, line, bytes);
	if (err)
		return err;
	if (!variant->off) {
		variant->lock = launch_spool(&variant->launch, "ab", line, bytes);
		if (variant->lock < 0)
			return variant->lock;
		run->spooled = true;
	}
	/* a new directory has another name in the environment */
	program->environment = variant->launch.environment.entries;
	err = run_program(program, signals, run, line, bytes);
	if (!err && run->spooled && variant->launch.settings.wait) {
		run->child.ending = spools_wait(variant->launch.spool, child_ending, NULL);
		err = run->child.ending ? -EINTR : 0;
	}
	return err;
}

int variant_run(struct variant *variant, const struct ab_options *options,
		const struct child_signals *signals, struct variant_run *run, char *line,
		size_t bytes)
{
	struct child_program program = { .argv = variant->launch.command,
					 .input = -1,
					 .output = -1 };
	int err;

	*run = (struct variant_run){ 0 };
	run->child.ending = child_ending();
	if (run->child.ending)
		return -EINTR;
	err = open_streams(options, &program, line, bytes);
	if (!err)
		err = start(variant, options, signals, &program, run, line, bytes);
	if (program.input >= 0)
		close(program.input);
	if (program.output >= 0)
		close(program.output);
	return err;
}

void variant_end(const struct variant *variant, const struct variant_run *run)
{
	if (run->spooled)
		spools_discard(variant->launch.spool);
}

void variant_unlock(struct variant *variant)
{
	if (variant->lock >= 0)
		close(variant->lock);
	variant->lock = -1;
}

void variant_name(enum runs_side which, bool warmup, size_t number, char *name, size_t bytes)
{
	snprintf(name, bytes, warmup ? "%c-warmup-%zu" : "%c-%03zu",
		 which == RUNS_BEFORE ? 'a' : 'b', number + 1);
}
