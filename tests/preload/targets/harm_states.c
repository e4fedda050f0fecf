/*
 * Ask the kernel for a state of the process or thread, then work: threads, a child, the next image.
 *   harm_states MILLISECONDS STATE
 *   harm_states list           the names of all states
 */
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/personality.h>
#include <sys/stat.h>

#include "tests/preload/targets/target.h"

#define THREADS 3

enum kind {
	PRCTL,
	ARCH, /* arch_prctl(2), of x86 */
	PERSONALITY,
	LIMIT,
	UNSHARE,
	LOCK,
	SCHEDULE,
	OTHER,
};

struct state {
	const char *name;
	enum kind kind;
	unsigned long argument[5];
	int (*function)(void);
};

static char page[4096] __attribute__((aligned(4096)));

static int no_mode(void)
{
	umask(0777);
	return 0;
}

static int all_descriptors(void)
{
	return (int)syscall(SYS_close_range, 3u, ~0u, 0);
}

static int lost_directory(void)
{
	char name[] = "/tmp/harm_states.XXXXXX";

	return mkdtemp(name) && !chdir(name) && !rmdir(name) ? 0 : -1;
}

static int session(void)
{
	pid_t child = fork(); /* a leader of its group cannot have one */

	if (!child)
		return (int)setsid() < 0;
	child = status_of(child);
	_exit(WIFEXITED(child) ? WEXITSTATUS(child) : 1);
}

static int one_processor(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static int nobody(void)
{
	return setgid(65534) || setuid(65534);
}

static int no_capability(void)
{
	struct {
		unsigned version;
		int pid;
	} header = { 0x20080522, 0 };
	unsigned none[6] = { 0 };

	return (int)syscall(SYS_capset, &header, none);
}

/* One that allows everything. */
static int filter(void)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { 1, code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* The first child is the first process of a space, whose end is the end of that. */
static int space_of_pids_and_filter(void)
{
	return unshare(CLONE_NEWPID) || filter();
}

static int next_image_and_filter(void)
{
	return space_of_pids_and_filter() ||
	       execl("/proc/self/exe", "harm_states", "1", (char *)NULL);
}

#define CALLED(name, call, ...)                   \
	{                                         \
		name, call, { __VA_ARGS__ }, NULL \
	}
#define STATE(name, ...)	       CALLED(name, PRCTL, __VA_ARGS__)
#define LIMITED(name, resource, value) CALLED("limit_" name, LIMIT, resource, value)
#define PERSON(name, flag)	       CALLED("person_" name, PERSONALITY, flag)
#define DONE(function)                            \
	{                                         \
#function, OTHER, { 0 }, function \
	}
#define TO(pointer) (unsigned long)(pointer)

/* linux/prctl.h of Linux 6.18 by number: distributions have older ones.  Those that only read,
 * and what needs another processor than those we know, are left out. */
static struct state states[] = {
	STATE("pdeathsig", 1, SIGUSR1),
	STATE("not_dumpable", 4, 0),
	STATE("keep_capabilities", 8, 1),
	STATE("name", 15, TO("a name")),
	STATE("drop_perfmon", 24, 38),
	STATE("drop_admin", 24, 21),
	STATE("no_tsc", 26, 2),
	STATE("securebits", 28, 0x2f),
	STATE("timer_slack", 29, 1),
	STATE("counters_off", 31, 0),
	STATE("counters_on", 32, 0),
	STATE("mce_kill_early", 33, 1, 1),
	STATE("mm_start_stack", 35, 5, TO(page)),
	STATE("mm_argument_start", 35, 8, TO(page)),
	STATE("subreaper", 36, 1),
	STATE("no_new_privileges", 38, 1),
	STATE("no_huge_pages", 41, 1),
	STATE("no_ambient", 47, 4),
	STATE("sve_length", 50, 16),
	STATE("no_store_bypass", 53, 0, 4),
	STATE("no_indirect_branch", 53, 1, 4),
	STATE("flush_l1d", 53, 2, 2),
	STATE("new_signing_keys", 54, 0),
	STATE("tagged_addresses", 55, 1),
	STATE("io_flusher", 57, 1),
	STATE("fewer_signing_keys", 60, 0x0f, 0),
	STATE("core_cookie", 62, 1, 0, 2),
	STATE("sme_length", 63, 16),
	STATE("no_new_code", 65, 1),
	STATE("no_new_code_once", 65, 3),
	STATE("merged_memory", 67, 1),
	STATE("shadow_stack", 75, 1),
	STATE("shadow_stack_lock", 76, 1),
	STATE("chosen_timers", 77, 1),
	STATE("futex_slots", 78, 1, 4, 0),
	STATE("global_futexes", 78, 1, 0, 0),
	STATE("named_memory", 0x53564d41, 0, TO(page), sizeof(page), TO("a page")),
	STATE("any_tracer", 0x59616d61, ULONG_MAX),
	STATE("unknown", 0x7fffffff, 1),
	CALLED("no_cpuid", ARCH, 0x1012, 0),
	CALLED("gs_base", ARCH, 0x1001, TO(page)),
	CALLED("amx", ARCH, 0x1023, 18),
	CALLED("linear_mask", ARCH, 0x4002, 6),
	CALLED("second_vdso", ARCH, 0x2003, 0),
	CALLED("arch_shadow_stack", ARCH, 0x5003, 1),
	PERSON("old_version", UNAME26),
	PERSON("no_randomize", ADDR_NO_RANDOMIZE),
	PERSON("page_zero", MMAP_PAGE_ZERO),
	PERSON("compatible_layout", ADDR_COMPAT_LAYOUT),
	PERSON("read_is_execute", READ_IMPLIES_EXEC),
	PERSON("three_gigabytes", ADDR_LIMIT_3GB),
	PERSON("whole_seconds", WHOLE_SECONDS),
	PERSON("sticky_timeouts", STICKY_TIMEOUTS),
	LIMITED("address_space", RLIMIT_AS, 0),
	LIMITED("data", RLIMIT_DATA, 0),
	LIMITED("stack", RLIMIT_STACK, 65536),
	LIMITED("locked", RLIMIT_MEMLOCK, 0),
	LIMITED("files", RLIMIT_NOFILE, 0),
	LIMITED("file_size", RLIMIT_FSIZE, 65536),
	LIMITED("processes", RLIMIT_NPROC, 0),
	LIMITED("signals", RLIMIT_SIGPENDING, 0),
	LIMITED("core", RLIMIT_CORE, 0),
	LIMITED("queues", RLIMIT_MSGQUEUE, 0),
	LIMITED("nice", RLIMIT_NICE, 0),
	LIMITED("locks", RLIMIT_LOCKS, 0),
	LIMITED("resident", RLIMIT_RSS, 0),
	LIMITED("cpu", RLIMIT_CPU, 1000),
	CALLED("lock_memory", LOCK, MCL_CURRENT | MCL_FUTURE),
	CALLED("lock_on_fault", LOCK, MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT),
	DONE(no_mode),
	DONE(lost_directory),
	DONE(session),
	CALLED("batch", SCHEDULE, SCHED_BATCH, 0),
	CALLED("real_time", SCHEDULE, SCHED_RR | SCHED_RESET_ON_FORK, 1),
	DONE(one_processor),
	DONE(all_descriptors),
	CALLED("space_of_names", UNSHARE,
	       CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWCGROUP),
	CALLED("space_of_mounts", UNSHARE, CLONE_NEWNS),
	CALLED("space_of_users", UNSHARE, CLONE_NEWUSER),
	CALLED("space_of_pids", UNSHARE, CLONE_NEWPID),
	CALLED("space_of_time", UNSHARE, 0x80 /* CLONE_NEWTIME, Linux 5.6 */),
	CALLED("own_files", UNSHARE, CLONE_FILES | CLONE_FS),
	DONE(nobody),
	DONE(no_capability),
	DONE(filter),
	DONE(space_of_pids_and_filter),
	DONE(next_image_and_filter),
};

#define STATES (COUNT(states))

static int ask(const struct state *state)
{
	const unsigned long *a = state->argument;
	struct rlimit limit;

	switch (state->kind) {
	case PRCTL:
		return prctl((int)a[0], a[1], a[2], a[3], a[4]);
	case ARCH:
#ifdef SYS_arch_prctl
		return syscall(SYS_arch_prctl, a[0], a[1]) < 0 ? -1 : 0;
#else
		errno = ENOSYS;
		return -1;
#endif
	case PERSONALITY:
		return personality(a[0]) < 0;
	case LIMIT:
		if (getrlimit((int)a[0], &limit))
			return -1;
		limit.rlim_cur = a[1];
		return setrlimit((int)a[0], &limit);
	case UNSHARE:
		return unshare((int)a[0]);
	case LOCK:
		return mlockall((int)a[0]);
	case SCHEDULE:
		return sched_setscheduler(0, (int)a[0],
					  &(struct sched_param){ .sched_priority = (int)a[1] });
	default:
		return state->function();
	}
}

static uint64_t burn_ns;

BURNS(burn_after)

static void *member(void *argument)
{
	burn_after(burn_ns);
	return argument;
}

static void use_threads(void)
{
	pthread_t threads[THREADS];
	int made = 0, err = 0;

	for (; made < THREADS && !err; made += !err)
		err = pthread_create(&threads[made], NULL, member, NULL);
	join_threads(threads, (unsigned)made);
	printf("%d threads, %s\n", made, strerror(err));
	fflush(stdout);
}

static void use_child(void)
{
	int status = 0;
	pid_t child;

	errno = 0;
	child = fork();
	if (!child) {
		use_threads();
		exit(5);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	printf("child %d, %s, status %x\n", child > 0, child < 0 ? strerror(errno) : "made",
	       status);
	errno = 0;
	child = waitpid(-1, &status, WNOHANG);
	printf("more children: %d, %s\n", (int)child, strerror(errno));
	fflush(stdout);
}

static int work(void)
{
	burn_after(burn_ns);
	use_threads();
	use_child();
	return 7;
}

int main(int argc, char **argv)
{
	char *next[] = { argv[0], argv[1], NULL };
	int result;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (size_t i = 0; i < STATES; i++)
			puts(states[i].name);
		return 0;
	}
	burn_ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	if (argc < 3) { /* the next image */
		puts("next image");
		return work();
	}
	for (size_t i = 0; i < STATES; i++) {
		if (strcmp(states[i].name, argv[2]) != 0)
			continue;
		errno = 0;
		result = ask(&states[i]);
		printf("%s: %d, %s\n", argv[2], result, strerror(errno));
	}
	fflush(stdout);
	work();
	execv("/proc/self/exe", next);
	perror("exec");
	return 7;
}
