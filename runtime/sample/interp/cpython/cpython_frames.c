/*
 * The frames of CPython 3.11 and later.  A run of the loop, _PyEval_EvalFrameDefault, executes many
 * functions in one native frame, and owns something in that frame that is linked with theirs:
 * the _PyCFrame (3.11, 3.12) or the entry frame (from 3.12 on).  So functions are placed by
 * address.
 *
 * A handler may interrupt a call or a return.  What is then not linked yet, or no longer, belongs
 * to the innermost run only, which is believed only if it leads to its own marker and, where a
 * _PyCFrame tells, to the frame that the next run outward stands at.
 */
#include <stddef.h>

#include "runtime/sample/interp/cpython/cpython_run.h"
#include "runtime/sample/sys/poison.h"

#define STATE_EXTENT 1024 /* bytes, more than a thread state has */

/* From 3.13 on, entry frames are part of the chain. */
static enum interp_outcome entries_walk(struct cpython_walk *walk)
{
	uint64_t frame = walk->state.head;

	for (;;) {
		struct cpython_run run;

		switch (cpython_run_take(walk, frame, 0, &run)) {
		case CPYTHON_RUN_MARKER:
			cpython_run_place(walk, &run, run.native);
			frame = run.outer;
			break;
		case CPYTHON_RUN_LAST:
			return cpython_run_outcome(walk);
		case CPYTHON_RUN_BEYOND:
			walk->places->count = run.first;
			return cpython_run_outcome(walk);
		case CPYTHON_RUN_WRONG:
			walk->places->count = run.first;
			return INTERP_UNMERGED;
		}
	}
}

struct cframe {
	uint64_t address, frame, previous;
	unsigned native; /* CPYTHON_NO_FRAME: beyond the end of a stack that is not complete */
};

/* False: there is none.  Only the loop has one: Debian's 3.11.2 links a _PyCFrame at one
 * instruction before it has written all of it, and what it had there before may lead anywhere in
 * the stack. */
static bool cframe_read(const struct cpython_walk *walk, uint64_t address, struct cframe *cframe)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *from;

	if (!cpython_is_on_stack(walk, address))
		return false;
	from = interp_read(walk->reader, address, layout->cframe_previous + sizeof(uint64_t));
	if (!from)
		return false;
	cframe->address = address;
	cframe->native = cpython_native_find(walk, address);
	if (cframe->native != CPYTHON_NO_FRAME &&
	    !cpython_is_eval(walk->python, walk->stack->pcs[cframe->native]))
		return false;
	cframe->frame = cpython_word(from, layout->cframe_frame);
	cframe->previous = cpython_word(from, layout->cframe_previous);
	return true;
}

/* The thread state has a _PyCFrame of its own, where the chain ends. */
static bool is_root(const struct cpython_walk *walk, uint64_t address)
{
	return address - walk->state.address < STATE_EXTENT;
}

/* True for a frame that certainly is linked with its caller: it has executed something. */
static bool has_begun(const struct cpython_walk *walk, uint64_t frame)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *from = interp_read(walk->reader, frame, layout->frame_bytes);

	return from &&
	       cpython_is_settled(walk,
				  cpython_word(from, layout->code) & ~(uint64_t)layout->code_tag,
				  cpython_word(from, layout->pc));
}

/* True for the outermost run of the thread, or of a greenlet, which stands on the native stack of
 * another but is not called by its functions.  A generator may be about to be linked with its
 * caller, and so may the innermost function. */
static bool is_outermost(const struct cpython_walk *walk, const struct cframe *cframe,
			 const struct cpython_run *run, bool held)
{
	if (run->outer)
		return false;
	return is_root(walk, cframe->previous) ||
	       (run->called && (held || has_begun(walk, cframe->frame)));
}

/* Take the run of a _PyCFrame that has a native frame, and get the next one outward.
 * CPYTHON_RUN_MARKER: go on; CPYTHON_RUN_LAST: there is none. */
static enum cpython_run_end cframe_take(struct cpython_walk *walk, const struct cframe *cframe,
					struct cframe *outer)
{
	bool held = walk->held;
	struct cpython_run run;
	uint64_t caller = 0;

	if (!held && !cpython_call_caller(walk, cframe->frame, &caller))
		return CPYTHON_RUN_WRONG;
	if (cpython_run_take(walk, cframe->frame, caller, &run) != CPYTHON_RUN_MARKER)
		return CPYTHON_RUN_WRONG;
	if (run.native != CPYTHON_NO_FRAME && run.native != cframe->native)
		return CPYTHON_RUN_WRONG;
	cpython_run_place(walk, &run, cframe->native);
	if (is_outermost(walk, cframe, &run, held))
		return CPYTHON_RUN_LAST;
	return cframe_read(walk, cframe->previous, outer) && outer->frame == run.outer
		       ? CPYTHON_RUN_MARKER
		       : CPYTHON_RUN_WRONG;
}

static uint64_t distance_of(const struct cpython_walk *walk, const struct cframe *cframe)
{
	return walk->stack->sps[cframe->native + 1] - cframe->address;
}

/* The innermost run cannot be told: find the next one outward by where all have their _PyCFrame.
 * CPYTHON_RUN_LAST: there is none. */
static enum cpython_run_end cframe_skip(struct cpython_walk *walk, struct cframe *cframe)
{
	uint32_t distance = atomic_load_explicit(&walk->python->distance, memory_order_relaxed);
	unsigned native;

	walk->places->count = 0;
	walk->full = walk->held = false;
	walk->unsure = true;
	walk->native = cframe->native + 1;
	native = cpython_eval_find(walk, walk->native, walk->stack->depth);
	if (native == CPYTHON_NO_FRAME)
		return walk->stack->complete ? CPYTHON_RUN_LAST : CPYTHON_RUN_WRONG;
	if (!distance || !cframe_read(walk, walk->stack->sps[native + 1] - distance, cframe))
		return CPYTHON_RUN_WRONG;
	return cframe->native == native ? CPYTHON_RUN_MARKER : CPYTHON_RUN_WRONG;
}

static enum interp_outcome cframes_walk(struct cpython_walk *walk)
{
	struct cframe cframe, outer;
	bool innermost = true, skipped = false;

	if (!cframe_read(walk, walk->state.head, &cframe))
		return is_root(walk, walk->state.head) ? cpython_run_outcome(walk)
						       : INTERP_UNMERGED;
	while (cframe.native != CPYTHON_NO_FRAME) {
		enum cpython_run_end end = cframe_take(walk, &cframe, &outer);

		if (end != CPYTHON_RUN_WRONG && distance_of(walk, &cframe) <= UINT16_MAX)
			atomic_store_explicit(&walk->python->distance,
					      (uint32_t)distance_of(walk, &cframe),
					      memory_order_relaxed);
		if (end == CPYTHON_RUN_WRONG && innermost && !skipped && !cframe.native &&
		    cpython_is_entering(walk)) {
			skipped = true;
			end = cframe_skip(walk, &cframe);
			outer = cframe;
		} else {
			innermost = false;
		}
		if (end != CPYTHON_RUN_MARKER)
			return end == CPYTHON_RUN_LAST ? cpython_run_outcome(walk)
						       : INTERP_UNMERGED;
		cframe = outer;
	}
	return cpython_is_beyond(walk, cframe.address) ? cpython_run_outcome(walk)
						       : INTERP_UNMERGED;
}

enum interp_outcome cpython_frames_walk(struct cpython_walk *walk)
{
	if (walk->python->layout->frames == CPYTHON_ENTRIES)
		return entries_walk(walk);
	return cframes_walk(walk);
}
