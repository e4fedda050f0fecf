/*
 * Start, in this order: the lookup of loaded objects, the table, libunwind.  Without libunwind
 * every walk uses frame pointers alone, and its result says so.
 *
 * Most frames far from the leaf are the same as in the previous walk.  A frame's caller follows
 * from its registers, its rule and the words that it saved.  So if a frame's registers equal those
 * of a step in the memo and its saved words are unchanged, its caller is the memo's.  A memo is
 * never changed in part.  It is used as it is, or, if it was of little use, it is replaced by a
 * walk that does not use it.
 */
#include "runtime/sample/unwind/unwind.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_library.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/unwind_step.h"

#define FOLLOWED_MAX 6 /* besides a quarter of the memo's steps: beyond that the memo is old */

void unwind_forget(void)
{
	unwind_module_refresh();
	rule_table_forget();
}

int unwind_start(void)
{
	int err;

	unwind_range_start();
	err = rule_table_open(RULE_TABLE_LOG_ENTRIES);
	if (err)
		return err;
	memory_start();
	unwind_module_start();
	err = unwind_library_open(unwind_lock_is_mine);
	return err ? err : rule_ask_start();
}

void unwind_populate(void)
{
	rule_table_populate();
	rule_row_start();
	unwind_memory_populate();
}

static bool begin(struct unwind_walk *walk, const ucontext_t *context,
		  const struct unwind_stack *stack, struct unwind_result *result)
{
	memset(result, 0, sizeof(*result));
	unwind_step_begin(walk, context);
	walk->generation = rule_table_generation();
	walk->signal = context;
	walk->stack = stack;
	walk->result = result;
	if (unwind_range_pick(&walk->range, walk->sp, &context->uc_stack, stack))
		return true;
	return unwind_finish(walk, UNWIND_BOUNDS);
}

static MEMORY_RAW inline bool holds_word(const struct unwind_range *range, uint64_t at,
					 uint64_t word)
{
	return unwind_range_holds(range, at) && unwind_range_load(at) == word;
}

static bool saves_are_unchanged(const struct unwind_range *range, const struct unwind_step *step)
{
	return (!step->frame_at || holds_word(range, step->frame_at, step[1].fp)) &&
	       (!step->other_at || holds_word(range, step->other_at, step[1].other));
}

/* True if the words that a step read are unchanged: then its caller is the next one. */
static inline bool is_unchanged(const struct unwind_range *range, const struct unwind_step *step)
{
	return holds_word(range, step->return_at, step->returns) &&
	       (!(step->frame_at | step->other_at) || saves_are_unchanged(range, step));
}

/* Notes the stack pointers of frames that a memo gave, from number `depth` on. */
static void note_pointers(uint64_t *sps, unsigned depth, const struct unwind_step *first,
			  const struct unwind_step *last)
{
	while (first < last)
		sps[depth++] = (++first)->sp;
}

/* Starts at the memo's frame that equals walk's, if there is one at or above *at, and goes up as
 * long as nothing has changed.  Returns the new depth. */
static unsigned rejoin(struct unwind_walk *walk, const struct unwind_memo *memo, unsigned *at,
		       uint64_t *pcs, unsigned depth, unsigned max)
{
	const struct unwind_step *end = memo->step + memo->count;
	const struct unwind_step *step = memo->step + *at;
	/* A local copy stays in registers.  A store through pcs could change walk->range. */
	const struct unwind_range range = walk->range;
	const struct unwind_step *first;

	while (step < end && step->sp < walk->sp)
		step++;
	*at = (unsigned)(step - memo->step);
	if (step == end || step->sp != walk->sp || step->pc != walk->pc || step->fp != walk->fp ||
	    step->other != walk->other || walk->other_lost || walk->sp_lost)
		return depth;
	if (end - step > (ptrdiff_t)(max - depth))
		end = step + (max - depth);
	first = step;
	for (uint64_t *pc = pcs + depth; step < end && is_unchanged(&range, step); step++)
		*pc++ = step[1].pc;
	*at = (unsigned)(step - memo->step);
	walk->since += *at - (unsigned)(first - memo->step);
	if (walk->sps)
		note_pointers(walk->sps, depth, first, step);
	depth += (unsigned)(step - first);
	walk->sp = step->sp;
	walk->fp = step->fp;
	walk->other = step->other;
	walk->pc = step->pc;
	return depth;
}

/* Stores walk's frame as number `depth`.  False if there is no room. */
static inline __attribute__((always_inline)) bool take(struct unwind_walk *walk, uint64_t *pcs,
						       unsigned depth, unsigned max)
{
	if (depth == max)
		return unwind_finish(walk, UNWIND_MAX);
	if (walk->sps)
		walk->sps[depth] = walk->sp;
	pcs[depth] = walk->pc;
	return true;
}

static inline __attribute__((always_inline)) void
walk_with_memo(struct unwind_walk *walk, struct unwind_memo *memo, uint64_t *pcs, unsigned max)
{
	unsigned depth = walk->result->depth, followed = 0, at = 0;

	while (unwind_follow(walk) && take(walk, pcs, depth, max)) {
		followed++;
		depth = rejoin(walk, memo, &at, pcs, depth + 1, max);
	}
	walk->result->depth = depth;
	memo->useful = followed <= FOLLOWED_MAX + depth / 4;
}

/* Notes the registers of a frame and, once its caller is known, the addresses where they were
 * saved. */
static void note_frame(struct unwind_step *step, const struct unwind_walk *walk)
{
	step->sp = walk->sp;
	step->fp = walk->fp;
	step->other = walk->other;
	step->pc = walk->pc;
}

static void note_step(struct unwind_step *step, const struct unwind_walk *walk)
{
	step->return_at = walk->return_at;
	step->returns = unwind_range_load(walk->return_at);
	step->frame_at = walk->frame_at;
	step->other_at = walk->other_at;
}

/* Walks without using a memo; writes one if there is one. */
static inline __attribute__((always_inline)) void
walk_anew(struct unwind_walk *walk, struct unwind_memo *memo, uint64_t *pcs, unsigned max)
{
	unsigned depth = walk->result->depth, count = 0;
	bool noting = memo;

	if (noting)
		note_frame(&memo->step[0], walk);
	for (; unwind_follow(walk) && take(walk, pcs, depth, max); depth++) {
		if (!noting)
			continue;
		if (walk->return_at) {
			note_step(&memo->step[count++], walk);
		} else if (count > FOLLOWED_MAX) {
			noting = false;
			continue;
		} else {
			count = 0; /* only frames above it matter */
		}
		/* A walk that uses the memo may end up in the frame behind its last step. */
		note_frame(&memo->step[count], walk);
		noting = count + 1 < UNWIND_MEMO_STEPS;
	}
	walk->result->depth = depth;
	if (!memo)
		return;
	memo->count = count;
	memo->generation = walk->generation;
	memo->useful = true;
}

/* Walks again from a leaf whose rule led nowhere. */
static __attribute__((noinline)) void walk_by_code(struct unwind_walk *walk,
						   const ucontext_t *context,
						   const struct unwind_stack *stack, uint64_t *pcs,
						   unsigned max, struct unwind_result *result)
{
	unsigned misses = result->misses;

	*walk = (struct unwind_walk){ .sps = walk->sps, .by_code = true };
	if (!begin(walk, context, stack, result))
		return;
	result->misses = misses;
	pcs[result->depth++] = walk->pc;
	if (!unwind_step_code(walk) || !take(walk, pcs, 1, max))
		return;
	result->depth++;
	walk_anew(walk, NULL, pcs, max);
}

static inline void walk_from(struct unwind_walk *walk, const ucontext_t *context,
			     const struct unwind_stack *stack, uint64_t *pcs, unsigned max,
			     struct unwind_result *result)
{
	struct unwind_memo *memo = stack->memo;
	bool more = begin(walk, context, stack, result);

	if (walk->sps)
		walk->sps[0] = walk->sp;
	if (max)
		pcs[result->depth++] = walk->pc;
	if (more && memo && memo->useful && memo->generation == walk->generation)
		walk_with_memo(walk, memo, pcs, max);
	else if (more)
		walk_anew(walk, memo, pcs, max);
	if (__builtin_expect(walk->astray, 0))
		walk_by_code(walk, context, stack, pcs, max, result);
	result->depth -= walk->drop;
}

void unwind_walk(const ucontext_t *context, const struct unwind_stack *stack, uint64_t *pcs,
		 unsigned max, struct unwind_result *result)
{
	struct unwind_walk walk = { 0 };

	walk_from(&walk, context, stack, pcs, max, result);
}

/* A walk that has filled pcs stands in the next frame, and so does one that drops its last. */
void unwind_walk_frames(const ucontext_t *context, const struct unwind_stack *stack, uint64_t *pcs,
			struct unwind_frames *frames, unsigned max, struct unwind_result *result)
{
	struct unwind_walk walk = { .sps = frames->sps };

	walk_from(&walk, context, stack, pcs, max, result);
	frames->range = walk.range;
	if (!frames->sps)
		return;
	if (result->end == UNWIND_MAX)
		frames->sps[result->depth] = walk.sp;
	else if (!walk.drop)
		frames->sps[result->depth] = frames->sps[result->depth - 1];
}
