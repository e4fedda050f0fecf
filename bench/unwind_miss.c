/*
 * The cost of a rule that is not in the table: at random addresses of a large library with
 * everything forgotten, at addresses whose description is already read, and at neighbours of known
 * ones.  For comparison: one unw_step of libunwind from the same addresses, without its cache.
 * One line each: name value unit runs.  The value is the smallest of the runs, in CPU time, for
 * one rule.
 */
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "runtime/sample/rules/rule.h"
#include "runtime/sample/rules/rule_row.h"
#include "runtime/sample/rules/rule_table.h"
#include "runtime/sample/unwind/unwind.h"
#include "runtime/sample/unwind/unwind_walk.h"

#define RUNS	    15
#define ADDRESSES   4000
#define AT_HAND	    40 /* number of addresses whose descriptions are kept, all at once */
#define STACK_WORDS 8192
#define TEXT_OF(a)  #a
#define TEXT(a)	    TEXT_OF(a)

static uint64_t pcs[ADDRESSES];
static struct unwind_stack stack;
static ucontext_t context;
static uint32_t seed = 1;

static struct {
	__typeof__(unw_init_local) *init_local;
	__typeof__(unw_step) *step;
	__typeof__(unw_set_caching_policy) *set_caching_policy;
	unw_addr_space_t *space;
} plain;

static uint32_t below(uint32_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * limit >> 32);
}

/* Random functions of the library, and any address in each, not only that of an instruction. */
static int choose(struct dl_phdr_info *info, size_t size, void *name)
{
	const uint8_t *header = NULL;
	const int32_t *table;

	(void)size;
	if (!strstr(info->dlpi_name, name))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			header = (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	if (!header || header[2] != 0x03 || header[3] != 0x3b)
		return 0;
	table = (const int32_t *)(header + 12);
	for (unsigned i = 0; i < ADDRESSES; i++) {
		uint32_t row = below(*(const uint32_t *)(header + 8) - 1);
		uint32_t bytes = (uint32_t)(table[2 * row + 2] - table[2 * row]);

		pcs[i] = (uint64_t)header + (uint64_t)(int64_t)table[2 * row] +
			 below(bytes < 4096 ? bytes : 4096);
	}
	return 1;
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static unsigned asked_at(uint64_t pc)
{
	struct unwind_result result;
	uint64_t frame;

	context.uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	unwind_walk(&context, &stack, &frame, 1, &result);
	return result.misses;
}

static void walk_at(uint64_t pc)
{
	asked_at(pc);
}

/* Forget the table's entries of these addresses, and nothing else. */
static void forget_entries(void)
{
	for (unsigned i = 0; i < AT_HAND; i++)
		memset(rule_table_bucket(pcs[i]), 0,
		       RULE_TABLE_WAYS * sizeof(struct rule_entry)); /* NOLINT */
}

static void forget_rules(void)
{
	forget_entries();
	rule_row_start();
}

static void show(const char *name, void (*prepare)(void), void (*one)(uint64_t pc), unsigned count)
{
	double best = 1e18;

	for (unsigned run = 0; run < RUNS; run++) {
		double start;

		prepare();
		start = now_ns();
		for (unsigned i = 0; i < count; i++)
			one(pcs[i]);
		if (now_ns() - start < best)
			best = now_ns() - start;
	}
	printf("%s %.1f ns %u\n", name, best / count, RUNS);
	fflush(stdout);
}

static void nothing(void)
{
}

/* Keep the first AT_HAND addresses with a rule of the simplest kind that is known by its row.
 * At others, libunwind's own step may read the memory that one of our registers points to. */
static void keep_plain(void)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < ADDRESSES && kept < AT_HAND; i++) {
		uint64_t generation = rule_table_generation();

		walk_at(pcs[i]);
		if (rule_type(rule_table_find(pcs[i], generation)) == RULE_BASE + UNW_REG_SP &&
		    rule_row_find(pcs[i], generation))
			pcs[kept++] = pcs[i];
	}
}

static void step_at(uint64_t pc)
{
	unw_cursor_t cursor;

	context.uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	plain.init_local(&cursor, &context);
	plain.step(&cursor);
}

static bool open_plain(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	plain.init_local = dlsym(library, TEXT(unw_init_local));
	plain.step = dlsym(library, TEXT(unw_step));
	plain.set_caching_policy = dlsym(library, TEXT(unw_set_caching_policy));
	plain.space = dlsym(library, TEXT(unw_local_addr_space));
	if (!plain.init_local || !plain.step || !plain.set_caching_policy || !plain.space)
		return false;
	return !plain.set_caching_policy(*plain.space, UNW_CACHE_NONE);
}

int main(int count, char **arguments)
{
	const char *library = count > 1 ? arguments[1] : "libcrypto.so.3";
	volatile uint64_t words[STACK_WORDS]; /* stack words: each is an address within this
					       * array */

	for (unsigned i = 0; i < STACK_WORDS; i++)
		words[i] = (uint64_t)&words[i];
	getcontext(&context);
	context.uc_stack.ss_flags = SS_DISABLE;
	for (unsigned i = 0; i < REG_RIP; i++)
		context.uc_mcontext.gregs[i] = (greg_t)&words[STACK_WORDS / 2];
	if (unwind_start() || unwind_stack_of_thread(&stack) || !dlopen(library, RTLD_NOW) ||
	    !dl_iterate_phdr(choose, (void *)library)) /* NOLINT */
		return 99;
	show("rule_forgotten", unwind_forget, walk_at, ADDRESSES);
	keep_plain();
	show("rule_described_at_hand", forget_rules, walk_at, AT_HAND);
	show("rule_of_known_row", forget_entries, walk_at, AT_HAND);
	if (open_plain())
		show("unw_step_without_cache", nothing, step_at, AT_HAND);
	return 0;
}
