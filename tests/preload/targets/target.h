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

/* Runs so many threads at once, each with the same argument, until all have ended. */
static inline void run_threads(unsigned count, thread_function *run, void *argument)
{
	pthread_t threads[64];

	for (unsigned i = 0; i < count; i++)
		if (i == COUNT(threads) || pthread_create(&threads[i], NULL, run, argument))
			abort();
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* Memory of the program's own, with nothing in it. */
static inline void *map_memory(size_t bytes, int protection)
{
	return mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
