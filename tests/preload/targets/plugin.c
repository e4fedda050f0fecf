/* Loads a library while it runs and writes to a field in it from three threads: "before" was
 * started before the library was loaded, "after" after.  7 + 150 + 50 + 93 writes of main and
 * "before", 200 of "after": 500.
 *   plugin LIBRARY [HOW] [space]
 * again: it unloads the library then, writes 100 times to what it maps where the field was, and
 * loads the library a second time, somewhere else, for another 500.
 * fork: a child writes 30 times, and 20 times in a thread of its own.
 * exec: fails to execute something, writes 10 times, and becomes echo(1), whose argument stands in
 * the field; all that in a thread.
 * storm: instead of the 500, loads, writes 10 times beside the 7, and unloads, 100 times, while
 * other threads come and go.
 * space: the library comes into a namespace of its own. */
#include <dirent.h>

#include "tests/preload/targets/target.h"

#define PAGE_BYTES 4096UL
#define LOADS	   100

static void (*often)(long), (*sometimes)(long), (*rarely)(long);
static pthread_barrier_t together;
long begun[3]; /* written once each */

static void *before(void *unused)
{
	pthread_setname_np(pthread_self(), "before");
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together); /* loaded */
	for (int i = 0; i < 150; i++)
		often(i);
	for (int i = 0; i < 50; i++)
		rarely(i);
	return unused;
}

static void *after(void *unused)
{
	pthread_setname_np(pthread_self(), "after");
	for (int i = 0; i < 100; i++)
		often(i);
	for (int i = 0; i < 100; i++)
		sometimes(i);
	return unused;
}

static void *load(const char *library, int space)
{
	void *handle = space ? dlmopen(LM_ID_NEWLM, library, RTLD_NOW) : dlopen(library, RTLD_NOW);

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	often = (void (*)(long))dlsym(handle, "plugin_often");
	sometimes = (void (*)(long))dlsym(handle, "plugin_sometimes");
	rarely = (void (*)(long))dlsym(handle, "plugin_rarely");
	return handle;
}

static void *run(const char *library, int space)
{
	pthread_t one, other;
	void *handle;

	pthread_create(&one, NULL, before, NULL);
	pthread_barrier_wait(&together);
	handle = load(library, space);
	pthread_barrier_wait(&together);
	pthread_create(&other, NULL, after, NULL);
	for (int i = 0; i < 93; i++)
		rarely(i);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	return handle;
}

/* Something else where the field was, which keeps the library from coming back there. */
__attribute__((noinline)) static void write_elsewhere(volatile long *field)
{
	void *page = (void *)((uintptr_t)field & ~(PAGE_BYTES - 1));

	if (mmap(page, PAGE_BYTES, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != page) {
		puts("still loaded");
		exit(2);
	}
	for (int i = 0; i < 100; i++)
		*field = i;
}

static void *write_20(void *unused)
{
	for (int i = 0; i < 20; i++)
		often(i);
	return unused;
}

static void fork_and_write(void)
{
	pid_t pid = fork();

	if (pid > 0) {
		status_of(pid);
		return;
	}
	for (int i = 0; i < 30; i++)
		sometimes(i);
	run_threads(1, write_20, NULL);
	exit(0);
}

static void *become_echo(void *word)
{
	execl("/nowhere", "nowhere", NULL);
	for (int i = 0; i < 10; i++)
		often(i);
	memcpy(word, "echoed", sizeof("echoed"));
	execl("/bin/echo", "echo", word, NULL);
	return NULL;
}

static void *nothing(void *argument)
{
	return argument;
}

static volatile int storm_over;

static void *come_and_go(void *unused)
{
	while (!storm_over) {
		run_threads(1, nothing, NULL);
	}
	return unused;
}

static void storm(const char *library, int space)
{
	pthread_t threads[2];

	start_threads(threads, 2, come_and_go, NULL);
	for (int i = 0; i < LOADS; i++) {
		void *handle = load(library, space);

		for (int k = 0; k < 10; k++)
			rarely(k);
		dlclose(handle);
	}
	storm_over = 1;
	join_threads(threads, 2);
}

static void print_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	printf("%d descriptors\n", count);
}

static void *field_of(void *handle)
{
	void *(*field)(void) = (void *(*)(void))dlsym(handle, "plugin_field");

	return field();
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	int space = !strcmp(argv[argc - 1], "space");
	void *handle, *first;

	for (int i = 0; i < 3; i++)
		*(volatile long *)&begun[i] = 1;
	pthread_barrier_init(&together, NULL, 2);
	if (!strcmp(how, "storm")) {
		storm(argv[1], space);
		print_descriptors();
		return 0;
	}
	handle = run(argv[1], space);
	first = field_of(handle);
	print_descriptors();
	fflush(stdout);
	if (!strcmp(how, "fork"))
		fork_and_write();
	if (!strcmp(how, "exec")) {
		run_threads(1, become_echo, first);
	}
	if (!strcmp(how, "again")) {
		dlclose(handle);
		write_elsewhere(first);
		handle = run(argv[1], space);
		puts(field_of(handle) == first ? "at the same address" : "somewhere else");
	}
	return 0;
}
