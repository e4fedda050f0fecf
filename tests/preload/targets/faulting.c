/* Touches pages for the first time, a known number of each kind of memory, each kind in a function
 * of its own.
 *   faulting FILE     FILE has at least 140 pages
 * Prints "touch_NAME PAGES CLASS" for each. */
#include <alloca.h>

#include "tests/preload/targets/target.h"

#define PAGE_BYTES    4096UL
#define USED_OF_STACK 64 /* pages that may have been touched before */
#define BSS_PAGES     150

static char zeroes[(BSS_PAGES + 1) * PAGE_BYTES];
static const char *file_path;
static volatile char *mapped_for_worker;

__attribute__((noinline)) static void touch(volatile char *pages, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pages[i * PAGE_BYTES] = 1;
	WORK_KEEP(1);
}

/* Pages of the stack that no call's return address is put on. */
static volatile char *above_calls(void *low)
{
	return (volatile char *)low + 2 * PAGE_BYTES;
}

static volatile char *map(unsigned count, int flags, int fd)
{
	void *pages = mmap(NULL, count * PAGE_BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (pages == MAP_FAILED)
		exit(2);
	madvise(pages, count * PAGE_BYTES, MADV_NOHUGEPAGE);
	return pages;
}

__attribute__((noinline)) static void touch_heap(void)
{
	char *from = sbrk(211 * PAGE_BYTES);

	touch((volatile char *)(((uintptr_t)from + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1)), 210);
	puts("touch_heap 210 [heap]");
}

__attribute__((noinline)) static void touch_stack(void)
{
	touch(above_calls(alloca((120 + USED_OF_STACK) * PAGE_BYTES)), 120);
	puts("touch_stack 120 [stack]");
}

__attribute__((noinline)) static void touch_anonymous(void)
{
	touch(map(230, MAP_PRIVATE | MAP_ANONYMOUS, -1), 230);
	puts("touch_anonymous 230 [anonymous mapping]");
}

__attribute__((noinline)) static void touch_shared(void)
{
	touch(map(80, MAP_SHARED | MAP_ANONYMOUS, -1), 80);
	puts("touch_shared 80 [anonymous mapping]");
}

__attribute__((noinline)) static void touch_file(void)
{
	int fd = open(file_path, O_RDONLY);

	touch(map(140, MAP_PRIVATE, fd), 140); /* a copy of each page */
	close(fd);
	puts("touch_file 140 [file content]");
}

__attribute__((noinline)) static void touch_bss(void)
{
	touch((volatile char *)(((uintptr_t)zeroes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1)),
	      BSS_PAGES);
	puts("touch_bss 150 [data faulting]");
}

/* A file where anonymous memory was, and the other way round. */
__attribute__((noinline)) static void touch_replaced(void)
{
	int fd = open(file_path, O_RDONLY);
	volatile char *pages = map(100, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (mmap((void *)(pages + 40 * PAGE_BYTES), 20 * PAGE_BYTES, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
		exit(2);
	touch(pages, 100);
	close(fd);
	puts("touch_replaced 80 [anonymous mapping]\ntouch_replaced 20 [file content]");
}

__attribute__((noinline)) static void touch_own_stack(void)
{
	touch(above_calls(alloca((60 + USED_OF_STACK) * PAGE_BYTES)), 60);
	puts("touch_own_stack 60 [stack]");
}

__attribute__((noinline)) static void touch_mapped(void)
{
	touch(mapped_for_worker, 90);
	puts("touch_mapped 90 [anonymous mapping]");
}

static void *worker(void *unused)
{
	touch_own_stack();
	touch_mapped();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)) /* one fault is one page */
		return 2;
	file_path = argv[1];
	touch_heap();
	touch_stack();
	touch_anonymous();
	touch_shared();
	touch_file();
	touch_bss();
	touch_replaced();
	mapped_for_worker = map(90, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	run_threads(1, worker, NULL);
	return 0;
}
