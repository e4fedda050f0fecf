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

#include "runtime/sample/interp/cpython/cpython.h"
#include "runtime/sample/sys/poison.h"

#define ENTERING_BYTES 512  /* of the loop, until its frame is linked */
#define STATE_EXTENT   1024 /* bytes, more than a thread state has */

enum run_end {
	RUN_MARKER, /* it ends at its marker */
	RUN_LAST,   /* there are no frames */
	RUN_BEYOND, /* its marker is beyond the outermost frame of a stack that was cut */
	RUN_WRONG,
};

/* One run of the loop. */
struct run {
	unsigned first;	 /* index of its innermost place */
	unsigned native; /* frame that it has its marker in; CPYTHON_NO_FRAME in 3.11 */
	uint64_t outer;	 /* the frame that called it */
	bool called;	 /* its outermost frame is not that of a generator */
};

/* True if an address of the stack belongs to a frame that a cut stack does not have. */
static bool is_beyond(const struct cpython_walk *walk, uint64_t address)
{
	return !walk->stack->ends && address >= walk->stack->sps[walk->stack->depth];
}

/* Returns the native frame of the interpreter's, from walk->native outward, that holds an address
 * of the stack; CPYTHON_NO_FRAME: there is none. */
static unsigned native_find(const struct cpython_walk *walk, uint64_t address)
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

/* True if the leaf is the loop, and may not have linked its frame yet. */
static bool is_entering(const struct cpython_walk *walk)
{
	return walk->stack->pcs[0] - walk->python->eval.start < ENTERING_BYTES;
}

/* True if the frames outward of the innermost one, which was read, are certainly live: it has
 * executed something, so it was linked with them. */
static bool is_settled(const struct cpython_walk *walk, uint64_t code, uint64_t at)
{
	return (int64_t)(at - code - walk->python->layout->start) > 0 && !is_entering(walk) &&
	       cpython_code_is(walk, code, at);
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
static enum run_end run_follow(struct cpython_walk *walk, uint64_t frame, uint64_t caller,
			       struct run *run)
{
	const struct cpython_layout *layout = walk->python->layout;

	for (; frame; frame = run->outer) {
		const void *from = interp_read_below(walk->reader, frame, layout->frame_bytes);
		uint64_t code, at;

		if (!from || walk->steps++ == CPYTHON_STEPS_MAX)
			return RUN_WRONG;
		run->outer = caller ? caller : cpython_word(from, layout->previous);
		caller = 0;
		code = cpython_word(from, layout->code) & ~(uint64_t)layout->code_tag;
		at = cpython_word(from, layout->pc);
		run->called = cpython_byte(from, layout->owner) != CPYTHON_OWNER_GENERATOR;
		if (cpython_is_on_stack(walk, frame)) {
			run->native = native_find(walk, frame);
			if (run->native == CPYTHON_NO_FRAME && is_beyond(walk, frame))
				return RUN_BEYOND;
			return run->native != CPYTHON_NO_FRAME && is_entry(walk, from, code, at)
				       ? RUN_MARKER
				       : RUN_WRONG;
		}
		if (layout->frames != CPYTHON_CFRAMES &&
		    cpython_byte(from, layout->owner) == layout->marker_value)
			continue; /* a frame of the interpreter's own */
		if (!cpython_code_take(walk, code, at))
			return RUN_WRONG;
		if (layout->frames == CPYTHON_CFRAMES &&
		    cpython_byte(from, layout->marker) == layout->marker_value)
			return RUN_MARKER;
		walk->held = walk->held || is_settled(walk, code, at);
	}
	return walk->places->count == run->first ? RUN_LAST : RUN_WRONG;
}

/* Take the functions of one run, from `frame` outward to its marker.  `caller`: the next frame, if
 * it is known otherwise; 0: the one that `frame` names. */
static enum run_end run_take(struct cpython_walk *walk, uint64_t frame, uint64_t caller,
			     struct run *run)
{
	enum run_end end;

	run->first = walk->places->count;
	run->native = CPYTHON_NO_FRAME;
	end = run_follow(walk, frame, caller, run);
	if (end == RUN_MARKER && !cpython_code_resolve(walk, run->first))
		return RUN_WRONG;
	return end;
}

/* The leaf runs no function, if it is the loop and none was found: it is the loop of the state that
 * holds the lock, and has not linked its frame yet, or no longer has it. */
static void leaf_skip(struct cpython_walk *walk)
{
	if (!walk->native && walk->state.attached)
		walk->native = cpython_is_eval(walk->python, walk->stack->pcs[0]);
}

/* The run is believed: its functions belong to this native frame. */
static void run_place(struct cpython_walk *walk, const struct run *run, unsigned native)
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

/* Returns what the walk came to, when all runs are in their places: PENDING where a run of the loop
 * inside of the innermost function's may have functions. */
static enum interp_outcome run_outcome(struct cpython_walk *walk)
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

/* From 3.13 on, entry frames are part of the chain. */
static enum interp_outcome entries_walk(struct cpython_walk *walk)
{
	uint64_t frame = walk->state.head;

	for (;;) {
		struct run run;

		switch (run_take(walk, frame, 0, &run)) {
		case RUN_MARKER:
			run_place(walk, &run, run.native);
			frame = run.outer;
			break;
		case RUN_LAST:
			return run_outcome(walk);
		case RUN_BEYOND:
			walk->places->count = run.first;
			return run_outcome(walk);
		case RUN_WRONG:
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
	cframe->native = native_find(walk, address);
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
	       is_settled(walk, cpython_word(from, layout->code) & ~(uint64_t)layout->code_tag,
			  cpython_word(from, layout->pc));
}

/* True for the outermost run of the thread, or of a greenlet, which stands on the native stack of
 * another but is not called by its functions.  A generator may be about to be linked with its
 * caller, and so may the innermost function. */
static bool is_outermost(const struct cpython_walk *walk, const struct cframe *cframe,
			 const struct run *run, bool held)
{
	if (run->outer)
		return false;
	return is_root(walk, cframe->previous) ||
	       (run->called && (held || has_begun(walk, cframe->frame)));
}

/* Take the run of a _PyCFrame that has a native frame, and get the next one outward.
 * RUN_MARKER: go on; RUN_LAST: there is none. */
static enum run_end cframe_take(struct cpython_walk *walk, const struct cframe *cframe,
				struct cframe *outer)
{
	bool held = walk->held;
	struct run run;
	uint64_t caller = 0;

	if (!held && !cpython_call_caller(walk, cframe->frame, &caller))
		return RUN_WRONG;
	if (run_take(walk, cframe->frame, caller, &run) != RUN_MARKER)
		return RUN_WRONG;
	if (run.native != CPYTHON_NO_FRAME && run.native != cframe->native)
		return RUN_WRONG;
	run_place(walk, &run, cframe->native);
	if (is_outermost(walk, cframe, &run, held))
		return RUN_LAST;
	return cframe_read(walk, cframe->previous, outer) && outer->frame == run.outer ? RUN_MARKER
										       : RUN_WRONG;
}

static uint64_t distance_of(const struct cpython_walk *walk, const struct cframe *cframe)
{
	return walk->stack->sps[cframe->native + 1] - cframe->address;
}

/* The innermost run cannot be told: find the next one outward by where all have their _PyCFrame.
 * RUN_LAST: there is none. */
static enum run_end cframe_skip(struct cpython_walk *walk, struct cframe *cframe)
{
	uint32_t distance = atomic_load_explicit(&walk->python->distance, memory_order_relaxed);
	unsigned native;

	walk->places->count = 0;
	walk->full = walk->held = false;
	walk->unsure = true;
	walk->native = cframe->native + 1;
	native = cpython_eval_find(walk, walk->native, walk->stack->depth);
	if (native == CPYTHON_NO_FRAME)
		return walk->stack->complete ? RUN_LAST : RUN_WRONG;
	if (!distance || !cframe_read(walk, walk->stack->sps[native + 1] - distance, cframe))
		return RUN_WRONG;
	return cframe->native == native ? RUN_MARKER : RUN_WRONG;
}

static enum interp_outcome cframes_walk(struct cpython_walk *walk)
{
	struct cframe cframe, outer;
	bool innermost = true, skipped = false;

	if (!cframe_read(walk, walk->state.head, &cframe))
		return is_root(walk, walk->state.head) ? run_outcome(walk) : INTERP_UNMERGED;
	while (cframe.native != CPYTHON_NO_FRAME) {
		enum run_end end = cframe_take(walk, &cframe, &outer);

		if (end != RUN_WRONG && distance_of(walk, &cframe) <= UINT16_MAX)
			atomic_store_explicit(&walk->python->distance,
					      (uint32_t)distance_of(walk, &cframe),
					      memory_order_relaxed);
		if (end == RUN_WRONG && innermost && !skipped && !cframe.native &&
		    is_entering(walk)) {
			skipped = true;
			end = cframe_skip(walk, &cframe);
			outer = cframe;
		} else {
			innermost = false;
		}
		if (end != RUN_MARKER)
			return end == RUN_LAST ? run_outcome(walk) : INTERP_UNMERGED;
		cframe = outer;
	}
	return is_beyond(walk, cframe.address) ? run_outcome(walk) : INTERP_UNMERGED;
}

enum interp_outcome cpython_frames_walk(struct cpython_walk *walk)
{
	if (walk->python->layout->frames == CPYTHON_ENTRIES)
		return entries_walk(walk);
	return cframes_walk(walk);
}
