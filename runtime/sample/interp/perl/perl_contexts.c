/*
 * Perl's contexts: the blocks, calls and evals in execution, on a stack for each of the
 * interpreter's stacks.  A call whose return operation is missing was made by C code: it has an
 * activation of the interpreter's loop to itself.  So has what sort() calls, even if it is a mere
 * block.
 *
 * While a call is made, the innermost context is not complete; while it returns, no longer.  Then
 * the current pad is not the sub's.
 */
#include "runtime/sample/interp/perl/perl.h"

#include <stddef.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/spool/format_code.h"
#include "runtime/sample/sys/poison.h"

#define TYPE_MASK    0x0f
#define IS_MULTICALL 0x10 /* C code calls it again and again */
#define IS_CODE	     0x40 /* of PERL_SUB: code in a regular expression; of PERL_EVAL: a block … */
#define IS_TRY	     0x80 /* … or that of try {} */

#define SORT 3 /* PERLSI_SORT */

#define CONTEXTS_MAX 20000
#define STACKS_MAX   1000

#define SUB_PADS  72 /* in the body of a sub (XPVCV) */
#define SUB_DEPTH 96
#define PADS_LIST 8

/* PERL_SI: one of the interpreter's stacks. */
struct stack_info {
	uint64_t stack;
	uint64_t contexts;
	uint64_t outer;
	uint64_t inner;
	int32_t last; /* index of the innermost context; -1: none */
	int32_t max;
	int32_t sub;
	int32_t type;
};

/* How far a walk has come. */
struct progress {
	uint64_t statement; /* in the next function */
	bool checked;	    /* the innermost call is complete */
	unsigned left;
};

/* True if the current pad is the sub's. */
static bool is_current(const struct perl_walk *walk, uint64_t sub)
{
	uint64_t body = perl_word(walk, sub);
	uint64_t pads = perl_word(walk, body + SUB_PADS);
	uint64_t list = perl_word(walk, pads + PADS_LIST);
	uint64_t depth = perl_word(walk, body + SUB_DEPTH) & UINT32_MAX;

	return perl_word(walk, list + depth * 8) == walk->now.pad;
}

/* While code is compiled, the current pad is that of the new code. */
static bool is_complete(struct perl_walk *walk, struct progress *progress, uint64_t sub)
{
	if (progress->checked || walk->now.statement == walk->interp + walk->layout->compiling)
		return true;
	progress->checked = true;
	return is_current(walk, sub);
}

static void add(struct perl_walk *walk, uint64_t pc)
{
	if (pc)
		interp_place_add(walk->places, walk->runs, pc);
}

static void end_run(struct perl_walk *walk, bool may_be_idle)
{
	if (!walk->runs) {
		walk->first_places = walk->places->count;
		walk->first_is_idle = may_be_idle;
	}
	walk->runs++;
	walk->idle += may_be_idle;
}

/* A call that is complete. */
static void take_call(struct perl_walk *walk, struct progress *progress,
		      const struct perl_context *context)
{
	uint64_t statement = progress->statement;

	progress->statement = context->statement;
	if ((context->type & TYPE_MASK) == PERL_EVAL) {
		add(walk,
		    perl_function_of_code(walk, context->name ? "{require}" : "{eval}", statement));
	} else if (!(context->type & IS_CODE)) {
		add(walk, perl_function_of_sub(walk, context, statement));
	}
	walk->is_innermost = false;
}

static bool is_call(const struct perl_context *context)
{
	unsigned type = context->type & TYPE_MASK;

	return type == PERL_SUB || type == PERL_FORMAT ||
	       (type == PERL_EVAL && !(context->type & (IS_CODE | IS_TRY)));
}

static void take(struct perl_walk *walk, struct progress *progress,
		 const struct perl_context *context, bool sorts)
{
	bool is_sub = (context->type & TYPE_MASK) != PERL_EVAL;

	if (!is_call(context)) {
		if (sorts)
			end_run(walk, true);
		return;
	}
	if (!is_complete(walk, progress, is_sub ? context->sub : context->eval)) {
		walk->pending = true;
		if (context->statement != progress->statement)
			progress->statement = 0; /* of which function is not known */
		return;
	}
	take_call(walk, progress, context);
	if (!context->return_op)
		end_run(walk, sorts || context->type & IS_MULTICALL);
}

MEMORY_RAW static bool walk_stack(struct perl_walk *walk, struct progress *progress,
				  const struct stack_info *stack)
{
	for (int32_t i = stack->last; i >= 0; i--) {
		uint64_t at = stack->contexts + (uint64_t)i * sizeof(struct perl_context);
		const struct perl_context *from = perl_read(walk, at, sizeof(*from));
		struct perl_context context;

		if (!progress->left-- || !from)
			return false;
		context = *from;
		take(walk, progress, &context, stack->type == SORT && !i);
	}
	return true;
}

MEMORY_RAW bool perl_contexts_walk(struct perl_walk *walk, bool has_main)
{
	struct progress progress = { .statement = walk->now.statement, .left = CONTEXTS_MAX };
	uint64_t at = walk->now.stack_info;
	unsigned before;

	walk->is_innermost = true;
	for (unsigned i = 0; at; i++) {
		const struct stack_info *from = perl_read(walk, at, sizeof(*from));
		struct stack_info stack;

		if (i == STACKS_MAX || !from)
			return false;
		stack = *from;
		if (!walk_stack(walk, &progress, &stack))
			return false;
		at = stack.outer;
	}
	before = walk->places->count;
	if (has_main) {
		add(walk, perl_function_of_code(walk, "{main}", progress.statement));
		end_run(walk, false);
		return true;
	}
	return !before || walk->places->place[before - 1].native < walk->runs;
}
