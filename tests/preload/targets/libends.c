/*
 * A library whose constructor and destructor work, as does a thread that the constructor creates.
 * The constructor prints what libc knows at that time.
 */
#include "tests/preload/targets/target.h"

#define MS 1000000ULL

int ends_wait(void);

static pthread_t thread;
static int dies;

__attribute__((noinline)) static void *ends_in_thread(void *unused)
{
	work_burn(60 * MS);
	return unused;
}

BURNS(ends_at_start)
BURNS(ends_at_end)

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
	printf("%d %s %s %s %d\n", argc, argv[1], program_invocation_short_name, getenv("ENDS"),
	       environment == environ);
	dies = !strcmp(argv[1], "abort");
	pthread_create(&thread, NULL, ends_in_thread, NULL);
	ends_at_start(90 * MS);
}

int ends_wait(void)
{
	return pthread_join(thread, NULL);
}

__attribute__((destructor)) static void end(void)
{
	ends_at_end(30 * MS);
	if (dies)
		abort();
	printf("destructor\n"); /* stdio is flushed later */
}
