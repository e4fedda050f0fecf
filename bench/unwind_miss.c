/*
 * The cost of a rule that is not in the table: at random addresses of a large library with
 * everything forgotten, at addresses whose description is already read, at neighbours of known
 * ones, and at addresses that nothing describes.  For comparison: one unw_step of libunwind from
 * the same addresses, without its cache. One line each: name value unit runs.  The value is the
 * smallest of the runs, in CPU time, for one rule.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/unwind_bench.h"
#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/unwind/unwind.h"
#include "tests/unwind/eh_table.h"

#define RUNS	    15
#define ADDRESSES   4000
#define AT_HAND	    40 /* number of addresses whose descriptions are kept, all at once */
#define STACK_WORDS 8192

/* A function that no description covers: nop … ret. */
#define UNDESCRIBED 4096
__asm__(".text; .type undescribed, @function; undescribed: .fill " TEXT(
	UNDESCRIBED) ", 1, 0x90; ret");
void undescribed(void);

static uint64_t pcs[ADDRESSES];
static struct unwind_stack stack;
static ucontext_t context;
static uint32_t seed = 1;

static struct plain plain;

static uint32_t below(uint32_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * limit >> 32);
}

/* Random functions of the library, and any address in each, not only that of an instruction. */
static void choose(const struct eh_table *table)
{
	for (unsigned i = 0; i < ADDRESSES; i++) {
		uint32_t row = below(table->count - 1);
		uint32_t bytes =
			(uint32_t)(eh_table_start(table, row + 1) - eh_table_start(table, row));

		pcs[i] = eh_table_start(table, row) + below(bytes < 4096 ? bytes : 4096);
	}
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

/* Asks without a walk, which would search the stack for the caller of undescribed code. */
static void ask_at(uint64_t pc)
{
	struct cfi_row row;
	bool passing;

	rule_ask(pc, &row, &passing);
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
	printf("%s %.1f ns %u\n", name, least_ns(RUNS, prepare, one, pcs, count), RUNS);
	fflush(stdout);
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

int main(int count, char **arguments)
{
	const char *library = count > 1 ? arguments[1] : "libcrypto.so.3";
	static struct eh_table table;
	volatile uint64_t words[STACK_WORDS];

	point_into(&context, words, STACK_WORDS);
	if (unwind_start() || unwind_stack_of_thread(&stack) || !eh_table_load(library, &table))
		return 99;
	choose(&table);
	show("rule_forgotten", unwind_forget, walk_at, ADDRESSES);
	keep_plain();
	show("rule_described_at_hand", forget_rules, walk_at, AT_HAND);
	show("rule_of_known_row", forget_entries, walk_at, AT_HAND);
	if (plain_open(&plain) && !plain.set_caching_policy(*plain.space, UNW_CACHE_NONE))
		show("unw_step_without_cache", nothing, step_at, AT_HAND);
	for (unsigned i = 0; i < AT_HAND; i++)
		pcs[i] = (uint64_t)undescribed + UNDESCRIBED / 4 + i;
	show("rule_of_undescribed_code", nothing, ask_at, AT_HAND);
	return 0;
}
