/*
 * A program in which a change can be planted: each function does a known amount of work, which the
 * command line sets.  Work goes round in small slices, so that a machine that slows down slows all
 * functions alike.
 *   planted [NAME=AMOUNT…]
 * Names of work, in ten thousands of turns for each round: parse, hash, sort, render; 1000 together
 * by default.  rounds: of all of these.  naps: waits of 200 us.  pages: pages of memory that are
 * touched for the first time.
 *
 * One turn takes the same time in all functions, so that amounts are shares of the CPU time. Rounds
 * are of unlike length, the same in each run: else samples would come at the same point of each.
 * With OTHER_BUILD the compiler may make copies of functions, whose names have suffixes, and places
 * them otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/preload/targets/work.h"

#define NAP_US	   200
#define PAGE_BYTES 4096
#define TURNS	   10
#ifdef OTHER_BUILD
#define FUNCTION __attribute__((noinline, section(".text.other"))) static
#else
#define FUNCTION __attribute__((noipa)) static
#endif

struct amounts {
	unsigned long parse, hash, sort, render, rounds, naps, pages;
};

static unsigned long sum;
static unsigned long length; /* of this round; 1000 on average */

static void next_length(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	length = 500 + (state >> 16) * 1000 / 65536;
}

FUNCTION void parse(unsigned long amount)
{
	WORK(amount * TURNS * length);
	WORK_KEEP(1);
}

FUNCTION void hash(unsigned long amount)
{
	WORK(amount * TURNS * length);
	WORK_KEEP(2);
}

FUNCTION void sort(unsigned long amount)
{
	WORK(amount * TURNS * length);
	WORK_KEEP(3);
}

/* The compiler may know the number of lines. */
FUNCTION void render(unsigned long amount, unsigned long lines)
{
	for (unsigned long i = 0; i < lines; i++)
		WORK(amount * TURNS * length / lines);
	sum += lines;
	WORK_KEEP(4);
}

FUNCTION void handle(const struct amounts *amounts)
{
	hash(amounts->hash);
	sort(amounts->sort);
	WORK_KEEP(5);
}

FUNCTION void request(const struct amounts *amounts)
{
	parse(amounts->parse);
	handle(amounts);
	render(amounts->render, 4);
	WORK_KEEP(6);
}

FUNCTION void nap(void)
{
	usleep(NAP_US);
	WORK_KEEP(7);
}

FUNCTION void touch(unsigned long pages)
{
	volatile char *memory;

	if (!pages)
		return;
	memory = mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		abort();
	madvise((void *)memory, pages * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (unsigned long i = 0; i < pages; i++)
		memory[i * PAGE_BYTES] = 1;
	munmap((void *)memory, pages * PAGE_BYTES);
}

static void set(struct amounts *amounts, const char *word)
{
	const struct {
		const char *name;
		unsigned long *amount;
	} known[] = {
		{ "parse", &amounts->parse },	{ "hash", &amounts->hash },
		{ "sort", &amounts->sort },	{ "render", &amounts->render },
		{ "rounds", &amounts->rounds }, { "naps", &amounts->naps },
		{ "pages", &amounts->pages },
	};
	size_t length = strcspn(word, "=");

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (word[length] == '=' && strlen(known[i].name) == length &&
		    strncmp(known[i].name, word, length) == 0) {
			*known[i].amount = strtoul(word + length + 1, NULL, 10);
			return;
		}
	fprintf(stderr, "planted: what is %s?\n", word);
	exit(2);
}

/* How many of `all` fall into a round. */
static unsigned long part(unsigned long all, unsigned long round, unsigned long rounds)
{
	return all * (round + 1) / rounds - all * round / rounds;
}

int main(int argc, char **argv)
{
	struct amounts amounts = {
		.parse = 250, .hash = 150, .sort = 350, .render = 250, .rounds = 200
	};

	for (int i = 1; i < argc; i++)
		set(&amounts, argv[i]);
	for (unsigned long round = 0; round < amounts.rounds; round++) {
		next_length();
		request(&amounts);
		for (unsigned long i = part(amounts.naps, round, amounts.rounds); i; i--)
			nap();
		touch(part(amounts.pages, round, amounts.rounds));
	}
	printf("%lu\n", sum);
	return 0;
}
