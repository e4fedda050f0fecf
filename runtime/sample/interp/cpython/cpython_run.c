/*
 * One run of the loop of CPython 3.11 and later: the functions from its innermost frame to its
 * marker.
 */
#include "runtime/sample/interp/cpython/cpython_run.h"

#include <stddef.h>

#include "runtime/sample/sys/poison.h"

#define ENTERING_BYTES 512 /* of the loop, until its frame is linked */

unsigned cpython_native_find(const struct cpython_walk *walk, uint64_t address)
{
	const struct interp_stack *stack = walk->stack;

	for (unsigned i = walk->native; i < stack->depth; i++) {
		if (stack->sps[i] > address || address >= stack->sps[i + 1])
			continue;
		return stack->pcs[i] - walk->python->start < walk->python->end - walk->python->start
			       ? i
			       : CPYTHON_NO_FRAME;
	}
	return CPYTHON_NO_FRAME;
}

bool cpython_is_entering(const struct cpython_walk *walk)
{
	return walk->stack->pcs[0] - walk->python->eval.start < ENTERING_BYTES;
}

bool cpython_is_settled(const struct cpython_walk *walk, uint64_t code, uint64_t at)
{
	return (int64_t)(at - code - walk->python->layout->start) > 0 &&
	       !cpython_is_entering(walk) && cpython_code_is(walk, code, at);
}

/* The entry frame is on the native stack, where other things were before.  In 3.12 it has code of
 * its own, and is at its beginning until the run's last instruction. */
static bool is_entry(const struct cpython_walk *walk, const void *from, uint64_t code, uint64_t at)
{
	const struct cpython_layout *layout = walk->python->layout;

	if (cpython_byte(from, layout->marker) != layout->marker_value)
		return false;
	return layout->frames == CPYTHON_BOTH ? at - code - layout->start <= CPYTHON_CODE_UNIT
					      : code == walk->python->none;
}

/* Follow one run of the loop from `frame` outward to its marker.  `caller` is the next frame. */
static enum cpython_run_end run_follow(struct cpython_walk *walk, uint64_t frame, uint64_t caller,
				       struct cpython_run *run)
{
	const struct cpython_layout *layout = walk->python->layout;

	for (; frame; frame = run->outer) {
		const void *from = interp_read_below(walk->reader, frame, layout->frame_bytes);
		uint64_t code, at;

		if (!from || walk->steps++ == CPYTHON_STEPS_MAX)
			return CPYTHON_RUN_WRONG;
		run->outer = caller ? caller : cpython_word(from, layout->previous);
		caller = 0;
		code = cpython_word(from, layout->code) & ~(uint64_t)layout->code_tag;
		at = cpython_word(from, layout->pc);
		run->called = cpython_byte(from, layout->owner) != CPYTHON_OWNER_GENERATOR;
		if (cpython_is_on_stack(walk, frame)) {
			run->native = cpython_native_find(walk, frame);
			if (run->native == CPYTHON_NO_FRAME && cpython_is_beyond(walk, frame))
				return CPYTHON_RUN_BEYOND;
			return run->native != CPYTHON_NO_FRAME && is_entry(walk, from, code, at)
				       ? CPYTHON_RUN_MARKER
				       : CPYTHON_RUN_WRONG;
		}
		if (layout->frames != CPYTHON_CFRAMES &&
		    cpython_byte(from, layout->owner) == layout->marker_value)
			continue; /* a frame of the interpreter's own */
		if (!cpython_code_take(walk, code, at))
			return CPYTHON_RUN_WRONG;
		if (layout->frames == CPYTHON_CFRAMES &&
		    cpython_byte(from, layout->marker) == layout->marker_value)
			return CPYTHON_RUN_MARKER;
		walk->held = walk->held || cpython_is_settled(walk, code, at);
	}
	return walk->places->count == run->first ? CPYTHON_RUN_LAST : CPYTHON_RUN_WRONG;
}

enum cpython_run_end cpython_run_take(struct cpython_walk *walk, uint64_t frame, uint64_t caller,
				      struct cpython_run *run)
{
	enum cpython_run_end end;

	run->first = walk->places->count;
	run->native = CPYTHON_NO_FRAME;
	end = run_follow(walk, frame, caller, run);
	if (end == CPYTHON_RUN_MARKER && !cpython_code_resolve(walk, run->first))
		return CPYTHON_RUN_WRONG;
	return end;
}

/* The leaf runs no function, if it is the loop and none was found: it is the loop of the state that
 * holds the lock, and has not linked its frame yet, or no longer has it. */
static void leaf_skip(struct cpython_walk *walk)
{
	if (!walk->native && walk->state.attached)
		walk->native = cpython_is_eval(walk->python, walk->stack->pcs[0]);
}

void cpython_run_place(struct cpython_walk *walk, const struct cpython_run *run, unsigned native)
{
	if (!run->first && native) {
		leaf_skip(walk);
		walk->unsure |= cpython_eval_find(walk, walk->native, native) != CPYTHON_NO_FRAME;
	}
	for (unsigned i = run->first; i < walk->places->count; i++)
		walk->places->place[i].native = native;
	walk->native = native + 1;
	walk->held = true;
}

enum interp_outcome cpython_run_outcome(struct cpython_walk *walk)
{
	unsigned count = walk->places->count;

	if (!count) {
		leaf_skip(walk);
		walk->unsure |= cpython_eval_find(walk, walk->native, walk->stack->depth) !=
				CPYTHON_NO_FRAME;
	}
	if (walk->unsure)
		return INTERP_PENDING;
	return count ? INTERP_MERGED : INTERP_NATIVE;
}
