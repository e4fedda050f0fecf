/*
 * The cost of a new address in code without unwind tables, whose instructions are decoded up to
 * the end of the function: right before the end, a hundred instructions before it, and in code
 * without an end that takes the longest allowed time.  For comparison: a known address, and an
 * ordinary question to libunwind about code with tables, with everything forgotten.  One line
 * each: name value unit runs, and the number of ordinary questions that it equals.  The value is
 * the smallest of the runs, in CPU time, for one address.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/unwind_bench.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/unwind/unwind.h"
#include "runtime/sample/unwind/unwind_return_x86_64.h"

#define RUNS	   15
#define FUNCTIONS  32
#define ROOM	   131072     /* bytes of each function */
#define FAR	   (ROOM / 2) /* target distance of the conditional jumps in the worst code */
#define BRANCHES   32	      /* of each kind: as many as the decoder follows */
#define STRAIGHT   1900	      /* with the jumps, as many instructions as the decoder reads */
#define JUMP_BYTES 1100	      /* more than the decoder reads at once */

static const char *const usual[] = {
	"qsort",    "printf",  "getaddrinfo", "regcomp",   "strftime", "glob",	   "fopen",
	"realpath", "nftw",    "wordexp",     "strtod",	   "scandir",  "getline",  "mktime",
	"setvbuf",  "tmpfile", "getpwnam",    "iconv",	   "syslog",   "popen",	   "system",
	"fnmatch",  "bsearch", "hcreate",     "setlocale", "gettext",  "vfprintf", "fread",
	"fgets",    "ungetc",  "putwc",	      "tdelete",
};

static uint8_t *code;
static uint64_t pcs[FUNCTIONS];
static struct unwind_stack stack;
static ucontext_t context;
static unsigned answered;

static uint8_t *put(uint8_t *at, const char *bytes, unsigned count)
{
	memcpy(at, bytes, count);
	return at + count;
}

/* An instruction whose last four bytes are the distance to `to`. */
static uint8_t *put_jump(uint8_t *at, const char *operation, unsigned count, const uint8_t *to)
{
	int32_t distance;

	at = put(at, operation, count);
	distance = (int32_t)(to - (at + sizeof(distance)));
	memcpy(at, &distance, sizeof(distance));
	return at + sizeof(distance);
}

/* add rsp, 24; pop rbx; pop rbp; ret */
static void end_here(uint8_t *at)
{
	put(at, "\x48\x83\xc4\x18\x5b\x5d\xc3", 7);
}

static void hundred_before(uint8_t *at)
{
	for (unsigned i = 0; i < 100; i++)
		at = put(at, "\x48\x8d\x04\x8f", 4); /* lea rax, [rdi + 4 rcx] */
	end_here(at);
}

/* Jumps of both kinds.  Each leads to a place that was not read yet.  Between them is straight
 * code of long instructions: mov qword [rsp + 256], 0.  Every path ends in hlt. */
static void endless(uint8_t *at)
{
	uint8_t *start = at;

	for (unsigned i = 0; i < BRANCHES; i++) {
		start[FAR + i * JUMP_BYTES] = 0xf4;
		at = put_jump(at, "\x0f\x84", 2, start + FAR + i * JUMP_BYTES);
	}
	for (unsigned i = 0; i < BRANCHES; i++) {
		put_jump(at, "\xe9", 1, at + JUMP_BYTES);
		at += JUMP_BYTES;
	}
	for (unsigned i = 0; i < STRAIGHT; i++)
		at = put(at, "\x48\xc7\x84\x24\0\1\0\0\0\0\0\0", 12);
	*at = 0xf4;
}

/* The walk starts on a stack of zeros, all of which are readable. */
static void return_of(uint64_t pc)
{
	static uint64_t words[512];
	struct unwind_result result = { 0 };
	struct unwind_walk walk = {
		.range = { .low = (uint64_t)words, .last = sizeof(words) / sizeof(*words) - 1 },
		.sp = (uint64_t)words,
		.pc = pc,
		.generation = rule_table_generation(),
		.signal = &context,
		.stack = &stack,
		.result = &result,
	};
	uint64_t frame;

	answered += unwind_return_slot(&walk, &frame) != 0;
}

static void rule_of(uint64_t pc)
{
	struct unwind_result result;
	uint64_t frame;

	context.uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	unwind_walk(&context, &stack, &frame, 1, &result);
	answered += result.misses;
}

static void forget(void)
{
	answered = 0;
	unwind_forget();
}

static double usual_ns(void)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		pcs[i] = (uint64_t)dlsym(RTLD_DEFAULT, usual[i]);
		if (!pcs[i])
			return 0;
		pcs[i] += 1;
	}
	return least_ns(RUNS, forget, rule_of, pcs, FUNCTIONS);
}

/* Measure one kind of code in all functions.  False if it was not decoded as intended. */
static bool show(const char *name, void (*make)(uint8_t *at), bool ends, double usual_cost)
{
	double new_ns, known_ns;

	mprotect(code, (size_t)FUNCTIONS * ROOM, PROT_READ | PROT_WRITE);
	memset(code, 0xf4, (size_t)FUNCTIONS * ROOM);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		pcs[i] = (uint64_t)code + (uint64_t)i * ROOM;
		make(code + (size_t)i * ROOM);
	}
	mprotect(code, (size_t)FUNCTIONS * ROOM, PROT_READ | PROT_EXEC);
	new_ns = least_ns(RUNS, forget, return_of, pcs, FUNCTIONS);
	if (answered != (ends ? FUNCTIONS : 0))
		return false;
	known_ns = least_ns(RUNS, nothing, return_of, pcs, FUNCTIONS);
	printf("%s %.1f ns %u\n", name, new_ns, RUNS);
	printf("%s.usual_questions %.2f ratio %u\n", name, new_ns / usual_cost, RUNS);
	printf("%s.known %.1f ns %u\n", name, known_ns, RUNS);
	fflush(stdout);
	return true;
}

int main(void)
{
	volatile uint64_t words[512];
	double usual_cost;

	point_into(&context, words, 512);
	code = mmap(NULL, (size_t)FUNCTIONS * ROOM, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED || unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	usual_cost = usual_ns();
	if (!(usual_cost > 0) || !answered)
		return 99;
	printf("usual_question %.1f ns %u\n", usual_cost, RUNS);
	return show("return_at_the_end", end_here, true, usual_cost) &&
			       show("return_a_hundred_before", hundred_before, true, usual_cost) &&
			       show("return_nowhere", endless, false, usual_cost)
		       ? 0
		       : 99;
}
