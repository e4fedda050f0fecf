/* Starts threads that wait, as many as are asked for or as can be.  Prints how many, and how many
 * mappings the process has then, with those of events.
 *   many_threads THREADS */
#include "tests/preload/targets/target.h"

#define STACK_BYTES 32768

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_here(void *unused)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return unused;
}

static void count_mappings(unsigned *all, unsigned *events)
{
	static char line[8192];
	FILE *maps = fopen("/proc/self/maps", "re");

	*all = *events = 0;
	if (!maps)
		exit(2);
	while (fgets(line, sizeof(line), maps)) {
		++*all;
		*events += !!strstr(line, "[perf_event]");
	}
	fclose(maps);
}

int main(int argc, char **argv)
{
	unsigned wanted = argc > 1 ? (unsigned)atoi(argv[1]) : 1, made = 0, all, events;
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	pthread_mutex_lock(&gate);
	while (made < wanted && !pthread_create(&thread, &small, wait_here, NULL))
		made++;
	if (made < wanted) {
		printf("%u\n", made);
	} else {
		count_mappings(&all, &events);
		printf("%u %u %u\n", made, all, events);
	}
	fflush(stdout);
	_exit(0);
}
