/*
 * Takes every key of threads that there is, and prints how many that were.  Threads that run
 * meanwhile, and later ones, must find nothing under them, and their destructors get what they put
 * there.
 *   all_keys posix|c11 CPU_MILLISECONDS   then threads, one after the other, and their destructors,
 *                                         use that much each
 *   all_keys early CPU_MILLISECONDS       the same, but for the threads before: takes them before
 * any constructor all_keys race TURNS                   two threads take them while others begin
 * and end all_keys fork CPU_MILLISECONDS        a child takes the last one all_keys many THREADS
 * then so many threads, one after the other: prints how many mappings of events there are
 */
#include <sys/stat.h>
#include <threads.h>

#include "tests/preload/targets/target.h"

#define KEYS	4096 /* more than there are */
#define THREADS 6
#define ROUNDS	4 /* PTHREAD_DESTRUCTOR_ITERATIONS */

static pthread_key_t keys[KEYS]; /* KEYS: none yet */
static _Atomic unsigned made, ends, wrong;
static uint64_t burn_ns;
static const char values[KEYS];
static pthread_key_t last;
static _Atomic bool all_made;

BURNS(in_destructor)
BURNS(in_thread)

static void on_end(void *value)
{
	size_t round = (size_t)((const char *)value - values);

	if (round >= ROUNDS)
		wrong++;
	ends++;
	in_destructor(burn_ns);
	if (round + 1 < ROUNDS)
		pthread_setspecific(last, &values[round + 1]);
}

static void other_end(void *value)
{
	if (value != values)
		wrong++;
	ends++;
}

static void look(void)
{
	for (unsigned i = 0; i < made && i < KEYS; i++)
		if (pthread_getspecific(keys[i]))
			wrong++;
}

static void *use_last(void *unused)
{
	look();
	pthread_setspecific(last, values);
	in_thread(burn_ns);
	return unused;
}

static void *take_all(void *end)
{
	pthread_key_t key;

	while (!pthread_key_create(&key, (void (*)(void *))end))
		keys[made++] = key;
	return NULL;
}

static void take_all_c11(void)
{
	while (tss_create(&keys[made], on_end) == thrd_success)
		made++;
}

static void give_all(void)
{
	while (made) {
		pthread_key_delete(keys[--made]);
		keys[made] = KEYS;
	}
}

static void *wait_for_all(void *unused)
{
	while (!all_made)
		usleep(1000);
	look();
	return use_last(unused);
}

/* Until the kernel has no other thread: pthread_join returns some moments before. */
static void be_alone(void)
{
	struct stat task;

	while (!stat("/proc/self/task", &task) && task.st_nlink > 3)
		usleep(1000);
}

static void one_after_the_other(void)
{
	for (unsigned i = 0; i < THREADS; i++) {
		char name[16];
		pthread_t thread;

		pthread_create(&thread, NULL, use_last, NULL);
		snprintf(name, sizeof(name), "after %u", i);
		pthread_setname_np(thread, name);
		pthread_join(thread, NULL);
	}
	be_alone();
}

static void use(bool c11)
{
	pthread_t before;

	pthread_create(&before, NULL, wait_for_all, NULL);
	pthread_setname_np(before, "before");
	if (c11)
		take_all_c11();
	else
		take_all((void *)on_end);
	last = keys[made - 1];
	printf("%u\n", made);
	all_made = true;
	pthread_join(before, NULL);
	one_after_the_other();
}

static void use_early(void)
{
	last = keys[made - 1];
	printf("%u\n", made);
	one_after_the_other();
}

static void take_early(int argc, char **argv, char **environment)
{
	(void)environment;
	if (argc > 1 && !strcmp(argv[1], "early"))
		take_all((void *)on_end);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
									    char **) = take_early;

static void *begin_and_end(void *unused)
{
	look();
	if (all_made)
		pthread_setspecific(last, values);
	return unused;
}

static void *churn(void *unused)
{
	while (!all_made) {
		run_threads(4, begin_and_end, NULL);
	}
	return unused;
}

static void race(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++) {
		pthread_t others[2], taker;

		all_made = false;
		start_threads(others, 2, churn, NULL);
		pthread_create(&taker, NULL, take_all, (void *)other_end);
		take_all((void *)other_end);
		pthread_join(taker, NULL);
		last = keys[made - 1];
		printf("%u\n", made);
		all_made = true;
		join_threads(others, 2);
		give_all();
	}
	ends = 0; /* as many as threads happened to begin late */
}

static void in_child(void)
{
	pthread_key_t key;
	pid_t child;

	take_all((void *)on_end);
	pthread_key_delete(keys[--made]);
	fflush(stdout);
	child = fork();
	if (!child) {
		take_all((void *)on_end);
		last = keys[made - 1];
		one_after_the_other();
		printf("%u\n", made);
		fflush(stdout);
		_exit(pthread_key_create(&key, NULL) ? 4 : 5);
	}
	child = status_of(child);
	take_all((void *)on_end);
	printf("%u %d\n", made, WEXITSTATUS(child));
}

static void *do_nothing(void *unused)
{
	return unused;
}

static void many(unsigned threads)
{
	take_all(NULL);
	while (threads--) {
		run_threads(1, do_nothing, NULL);
	}
	be_alone();
	printf("%d\n", lines_with("/proc/self/maps", "[perf_event]"));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "posix";
	unsigned number = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10;

	burn_ns = number * 1000000ULL;
	for (unsigned i = made; i < KEYS; i++)
		keys[i] = KEYS;
	if (!strcmp(mode, "race"))
		race(number);
	else if (!strcmp(mode, "many"))
		many(number);
	else if (!strcmp(mode, "early"))
		use_early();
	else if (!strcmp(mode, "fork"))
		in_child();
	else
		use(!strcmp(mode, "c11"));
	printf("%u ends, %u wrong\n", ends, wrong);
	return 0;
}
