/*
 * Removes the unwind information of a library: permanently before a function of it runs for the
 * first time, and then repeatedly, by another thread that also loads and unloads libraries while
 * the first takes page faults in the library.  The program always handles faults of its own.
 *   harm_vanish ROUNDS
 * Prints "ok" if its handler got each of its own faults and no other.
 */
#include "tests/preload/targets/target.h"

#define PAGE  4096UL
#define PAGES 256UL

typedef void touch_fn(volatile char *pages, unsigned count);

static struct {
	void *low; /* the segment with the unwind information */
	size_t size;
	off_t offset;
	char path[4096];
} tables;

static volatile char *pages;
static volatile char *forbidden;
static char folder[2048];
static unsigned rounds;
static _Atomic int over;
static unsigned long own_faults, handled;
static sigjmp_buf back;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_addr != (void *)forbidden)
		_exit(3); /* one that is not ours to take */
	handled++;
	siglongjmp(back, 1);
}

static void fault_on_purpose(void)
{
	own_faults++;
	if (!sigsetjmp(back, 1))
		*forbidden = 1;
}

static int find_tables(struct dl_phdr_info *info, size_t size, void *argument)
{
	uintptr_t table = 0;

	(void)size;
	(void)argument;
	if (!strstr(info->dlpi_name, "libvanish.so"))
		return 0;
	snprintf(tables.path, sizeof(tables.path), "%s", info->dlpi_name);
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			table = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || table < low ||
		    table - low >= info->dlpi_phdr[i].p_memsz)
			continue;
		tables.low = (void *)(low & ~(PAGE - 1));
		tables.size = (low % PAGE + info->dlpi_phdr[i].p_memsz + PAGE - 1) & ~(PAGE - 1);
		tables.offset = (off_t)(info->dlpi_phdr[i].p_offset & ~(PAGE - 1));
	}
	return 1;
}

static void take_away(void)
{
	if (munmap(tables.low, tables.size))
		_exit(4);
}

static void put_back(void)
{
	int fd = open(tables.path, O_RDONLY | O_CLOEXEC);

	if (mmap(tables.low, tables.size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, tables.offset) ==
	    MAP_FAILED)
		_exit(5);
	close(fd);
}

/* Each dlclose makes the profiler forget its rules, and ask again. */
static void load_and_unload(void)
{
	char path[8192];
	void *plugin;

	snprintf(path, sizeof(path), "%s/libharm_plugin.so", folder);
	plugin = dlopen(path, RTLD_NOW);
	if (!plugin || dlclose(plugin))
		_exit(6);
}

static void *to_and_fro(void *argument)
{
	for (unsigned i = 0; i < rounds; i++) {
		load_and_unload();
		if (mprotect(tables.low, tables.size, PROT_NONE))
			_exit(7);
		load_and_unload();
		if (mprotect(tables.low, tables.size, PROT_READ))
			_exit(8);
		load_and_unload();
		take_away();
		load_and_unload();
		put_back();
	}
	over = 1;
	return argument;
}

static void touch(touch_fn *function)
{
	function(pages, PAGES);
	madvise((void *)pages, PAGES * PAGE, MADV_DONTNEED);
	fault_on_purpose();
}

int main(int count, char **arguments)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, seen;
	touch_fn *known, *unknown;
	pthread_t thread;
	void *library;

	rounds = count > 1 ? (unsigned)atoi(arguments[1]) : 10;
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(arguments[0], '/') - arguments[0]),
		 arguments[0]);
	snprintf(tables.path, sizeof(tables.path), "%s/libvanish.so", folder);
	library = dlopen(tables.path, RTLD_NOW);
	known = library ? (touch_fn *)dlsym(library, "vanish_seen") : NULL;
	unknown = library ? (touch_fn *)dlsym(library, "vanish_unseen") : NULL;
	pages = map_memory(PAGES * PAGE, PROT_READ | PROT_WRITE);
	forbidden = map_memory(PAGE, PROT_NONE);
	if (!known || !unknown || pages == MAP_FAILED || forbidden == MAP_FAILED)
		return 1;
	madvise((void *)pages, PAGES * PAGE, MADV_NOHUGEPAGE);
	dl_iterate_phdr(find_tables, NULL);
	if (!tables.low || sigaction(SIGSEGV, &action, NULL))
		return 1;
	touch(known);
	take_away();
	load_and_unload();
	touch(unknown);
	put_back();
	if (pthread_create(&thread, NULL, to_and_fro, NULL))
		return 1;
	while (!over)
		touch(known);
	pthread_join(thread, NULL);
	if (sigaction(SIGSEGV, NULL, &seen) || seen.sa_sigaction != on_fault ||
	    handled != own_faults)
		return 2;
	puts("ok");
	return 0;
}
