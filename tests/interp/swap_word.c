/*
 * Puts a wrong word where a program keeps something, works for a while without a call, and puts the
 * right one back.
 */
#include "tests/support/libc.h"

#define PAGE 4096UL

uint64_t swap_gone(void);
void swap_word(volatile uint64_t *word, uint64_t wrong, unsigned long rounds);
uint64_t swap_flicker(void);
void swap_steady(void);

static char *page;
static pthread_t thread;
static _Atomic int is_over;

/* Returns the address of a page that is not there. */
uint64_t swap_gone(void)
{
	void *gone = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(gone, PAGE);
	return (uint64_t)(uintptr_t)gone;
}

void swap_word(volatile uint64_t *word, uint64_t wrong, unsigned long rounds)
{
	uint64_t right = *word;

	*word = wrong;
	for (volatile unsigned long i = 0; i < rounds; i++)
		;
	*word = right;
}

static void *flicker(void *unused)
{
	while (!atomic_load(&is_over)) {
		mprotect(page, PAGE, PROT_NONE);
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	}
	return unused;
}

/* Returns the address of a page that another thread takes away and gives back all the time.  It is
 * full of its own address. */
uint64_t swap_flicker(void)
{
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (uint64_t *word = (void *)page; (char *)word < page + PAGE; word++)
		*word = (uint64_t)(uintptr_t)page;
	return pthread_create(&thread, NULL, flicker, NULL) ? 0 : (uint64_t)(uintptr_t)page;
}

void swap_steady(void)
{
	atomic_store(&is_over, 1);
	pthread_join(thread, NULL);
}
