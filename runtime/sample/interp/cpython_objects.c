/*
 * The frames of CPython 3.9 and 3.10: objects, linked from the innermost outward.  Each is executed
 * by a run of the loop of its own, so they are counted: the outermost frame belongs to the
 * outermost run.  The innermost run may have no frame: it is being entered, or it is returning.
 */
#include <stddef.h>

#include "runtime/sample/interp/cpython.h"

/* Take all frames.  False: what is there is not a frame. */
static bool frames_take(struct cpython_walk *walk, unsigned max)
{
	const struct cpython_layout *layout = walk->python->layout;

	for (uint64_t frame = walk->state.head; frame;) {
		const void *from = cpython_read_frame(walk, frame);

		if (!from || walk->full || walk->places->count == max)
			return false;
		frame = cpython_word(from, layout->previous);
		if (!cpython_code_take(walk, cpython_word(from, layout->code),
				       cpython_half(from, layout->pc)))
			return false;
	}
	return cpython_code_resolve(walk, 0, 0);
}

/* The number of native frames of the loop. */
static unsigned evals_count(const struct cpython_walk *walk)
{
	unsigned count = 0;

	for (unsigned i = 0; i < walk->stack->depth; i++)
		count += cpython_is_eval(walk->python, walk->stack->pcs[i]);
	return count;
}

static void frames_place(const struct cpython_walk *walk, unsigned surplus)
{
	struct interp_places *places = walk->places;
	unsigned count = 0;

	for (unsigned i = 0; i < walk->stack->depth && count < places->count; i++) {
		if (!cpython_is_eval(walk->python, walk->stack->pcs[i]))
			continue;
		if (surplus)
			surplus--;
		else
			places->place[count++].native = i;
	}
}

enum interp_outcome cpython_objects_walk(struct cpython_walk *walk)
{
	unsigned evals = evals_count(walk);
	unsigned surplus;

	/* A thread's frames are held by the runs of the loop that execute them. */
	walk->held = true;
	if (!walk->stack->complete || !frames_take(walk, evals) ||
	    evals - walk->places->count > 1) {
		walk->places->count = 0;
		return INTERP_UNMERGED;
	}
	surplus = evals - walk->places->count;
	frames_place(walk, surplus);
	if (surplus)
		return INTERP_PENDING;
	return evals ? INTERP_MERGED : INTERP_NATIVE;
}
