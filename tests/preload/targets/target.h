/*
 * What nearly every program here needs: libc's headers, known work, functions that burn CPU time,
 * threads and children that are run to their ends, and a way that is chosen by its name.
 */
#ifndef TARGETS_TARGET_H
#define TARGETS_TARGET_H

#include "tests/preload/targets/work.h"
#include "tests/support/libc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A function that stands in profiles under its own name. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define BY_NAME __attribute__((noinline, noipa)) /* no copies for constants: name.constprop.0 */
#else
#define BY_NAME __attribute__((noinline))
#endif

/* Defines a function that burns so much CPU time of the calling thread. */
#define BURNS(name)                               \
	BY_NAME static void name(uint64_t cpu_ns) \
	{                                         \
		work_burn(cpu_ns);                \
		WORK_KEEP(name);                  \
	}

typedef void *thread_function(void *argument);

/* Starts so many threads, each with the same argument. */
static inline void start_threads(pthread_t *threads, unsigned count, thread_function *run,
				 void *argument)
{
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, run, argument))
			abort();
}

static inline void join_threads(const pthread_t *threads, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* Runs at most 64 threads at once, each with the same argument, until all have ended. */
static inline void run_threads(unsigned count, thread_function *run, void *argument)
{
	pthread_t threads[64];

	start_threads(threads, count, run, argument);
	join_threads(threads, count);
}

/* Memory of the program's own, with nothing in it. */
static inline void *map_memory(size_t bytes, int protection)
{
	return mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The set of one signal. */
static inline sigset_t set_of(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

/* How many lines of a file hold a text; -1: it cannot be read. */
static inline int lines_with(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	static char line[8192];
	int count = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		count += strstr(line, text) != NULL;
	fclose(file);
	return count;
}

/* The timers of this process; -1: the kernel does not tell (proc(5), /proc/PID/timers). */
static inline int timers_count(void)
{
	return lines_with("/proc/self/timers", "signal:");
}

/* The state of a thread of this process (proc(5)), 'S' for one that sleeps; 0: it is gone. */
static inline char state_of(pid_t tid)
{
	char path[64], line[256] = "";
	const char *state;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	state = fd >= 0 && read(fd, line, sizeof(line) - 1) > 0 ? strrchr(line, ')') : NULL;
	close(fd);
	return state ? state[2] : 0;
}

/* Context switches of the process or thread (getrusage(2)). */
static inline long switches_of(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* The status (wait(2)) of a child that ends, whatever signals come meanwhile. */
static inline int status_of(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

struct named {
	const char *name;
	void (*run)(void);
};

/* Runs the one of that name; false: there is none. */
static inline bool run_named(const struct named *ways, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(ways[i].name, name)) {
			ways[i].run();
			return true;
		}
	return false;
}

#endif
