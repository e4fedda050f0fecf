/*
 * The cost of one walk, at five depths.  Walks are measured with all rules known, both of the
 * stack of the walk before and without that knowledge, and with no rules (everything forgotten).
 * For comparison: doing nothing, following frame pointers (in code built with them), libunwind's
 * unw_step with and without its cache, and unw_backtrace, whose cache nothing empties.  One line
 * each: name value unit runs.  The value is the smallest of the runs, in CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include "bench/unwind_bench.h"
#include "runtime/sample/unwind/unwind.h"
#include "tests/unwind/chain.h"

#define RUNS   31
#define FRAMES 1024

void framed_run(struct chain *chain, unsigned depth, uint32_t seed);

typedef unsigned method(const ucontext_t *context);

static struct unwind_memo memo;
static struct unwind_stack stack = { .memo = &memo };
static struct unwind_stack stack_anew; /* the same, but no walk remembers another */
static uint64_t pcs[FRAMES];
static volatile unsigned sink;

static struct plain plain;
static bool has_plain;

static unsigned nothing_at(const ucontext_t *context)
{
	return context->uc_stack.ss_flags != 0;
}

static unsigned warm(const ucontext_t *context)
{
	struct unwind_result result;

	unwind_walk(context, &stack, pcs, FRAMES, &result);
	return result.depth;
}

static unsigned anew(const ucontext_t *context)
{
	struct unwind_result result;

	unwind_walk(context, &stack_anew, pcs, FRAMES, &result);
	return result.depth;
}

static unsigned cold(const ucontext_t *context)
{
	unwind_forget();
	return warm(context);
}

static unsigned rules_asked(const ucontext_t *context)
{
	struct unwind_result result;

	unwind_forget();
	unwind_walk(context, &stack, pcs, FRAMES, &result);
	return result.misses;
}

static unsigned frame_pointers(const ucontext_t *context)
{
	uint64_t bp = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
	unsigned depth = 0;

	while (depth < FRAMES && bp >= stack.low && bp <= stack.high - 16 && !(bp & 7)) {
		uint64_t next = *(const uint64_t *)bp;

		pcs[depth++] = ((const uint64_t *)bp)[1] - 1;
		if (next <= bp)
			break;
		bp = next;
	}
	return depth;
}

static unsigned plain_step(const ucontext_t *context)
{
	ucontext_t copy = *context;
	unw_cursor_t cursor;
	unw_word_t pc;
	unsigned depth = 0;

	plain.init_local(&cursor, &copy);
	do {
		plain.get_reg(&cursor, UNW_REG_IP, &pc);
		pcs[depth++] = pc;
	} while (depth < FRAMES && plain.step(&cursor) > 0);
	return depth;
}

static unsigned plain_backtrace(const ucontext_t *context)
{
	static void *frames[FRAMES];

	(void)context;
	return (unsigned)plain.backtrace(frames, FRAMES);
}

static double smallest(method *function, const ucontext_t *context, unsigned batch)
{
	double best = 1e18;

	for (unsigned i = 0; i < batch / 4 + 1; i++)
		sink += function(context);
	for (unsigned run = 0; run < RUNS; run++) {
		double start = now_ns();

		for (unsigned i = 0; i < batch; i++)
			sink += function(context);
		start = (now_ns() - start) / batch;
		if (start < best)
			best = start;
	}
	return best;
}

static void show(const char *name, unsigned depth, method *function, const ucontext_t *context,
		 unsigned batch)
{
	printf("%s_depth_%u %.1f ns %u\n", name, depth, smallest(function, context, batch), RUNS);
	fflush(stdout);
}

static void measure(struct chain *chain)
{
	unsigned depth = *(unsigned *)chain->argument;
	unsigned slow_batch = 400 / depth + 2;
	ucontext_t context;

	getcontext(&context);
	context.uc_stack.ss_flags = SS_DISABLE;
	printf("frames_depth_%u %u frames 1\n", depth, warm(&context));
	show("empty", depth, nothing_at, &context, 1000);
	show("rules_known", depth, warm, &context, 20000 / depth);
	show("rules_known_walk_anew", depth, anew, &context, 20000 / depth);
	show("rules_unknown", depth, cold, &context, slow_batch);
	printf("rules_asked_depth_%u %u rules 1\n", depth, rules_asked(&context));
	if (has_plain) {
		plain.set_caching_policy(*plain.space, UNW_CACHE_GLOBAL);
		show("unw_step", depth, plain_step, &context, slow_batch);
		plain.set_caching_policy(*plain.space, UNW_CACHE_NONE);
		show("unw_step_without_cache", depth, plain_step, &context, slow_batch);
		show("unw_backtrace", depth, plain_backtrace, &context, 20000 / depth);
	}
}

static void measure_framed(struct chain *chain)
{
	unsigned depth = *(unsigned *)chain->argument;
	ucontext_t context;

	getcontext(&context);
	show("frame_pointers", depth, frame_pointers, &context, 20000 / depth);
}

int main(void)
{
	static unsigned depths[] = { 5, 20, 60, 127, 500 };
	static struct chain chain;

	if (unwind_start() || unwind_stack_of_thread(&stack) || unwind_stack_of_thread(&stack_anew))
		return 99;
	has_plain = plain_open(&plain);
	for (unsigned i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		chain.argument = &depths[i];
		chain.leaf = measure_framed;
		framed_run(&chain, depths[i], 21);
		chain.leaf = measure;
		chain_run(&chain, depths[i], 21);
	}
	return 0;
}
