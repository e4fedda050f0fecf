/*
 * The functions of several interpreters in one thread, from 3.11 on.  A function of one may run a
 * text in another one (a subinterpreter).  The thread has a state in each, and the chain of frames
 * of each ends where it was entered.
 */
#include "runtime/sample/interp/cpython/cpython.h"
#include "runtime/sample/sys/poison.h"

/* Take the functions of a state whose innermost ones are in this native frame.  False: they are
 * not. */
static bool state_take(struct cpython_walk *walk, const struct cpython_state *state,
		       unsigned native)
{
	struct interp_places *places = walk->places;
	unsigned first = places->count, before = walk->native;
	bool unsure = walk->unsure;

	walk->state = *state;
	walk->native = native;
	walk->held = true; /* a function that has left its interpreter is linked */
	if (cpython_frames_walk(walk) <= INTERP_PENDING && places->count > first &&
	    places->place[first].native == native)
		return true;
	places->count = first;
	walk->native = before;
	walk->unsure = unsure;
	walk->full = false;
	return false;
}

/* The next native frame that lacks its functions. */
static unsigned eval_next(const struct cpython_walk *walk)
{
	return walk->full ? CPYTHON_NO_FRAME
			  : cpython_eval_find(walk, walk->native, walk->stack->depth);
}

/* Take the functions of other states, from the inside outward. */
static void others_take(struct cpython_walk *walk, struct cpython_state *others, unsigned count)
{
	for (unsigned i = 0; i < count;) {
		unsigned native = eval_next(walk);

		if (native == CPYTHON_NO_FRAME)
			return;
		if (!state_take(walk, &others[i], native)) {
			i++;
			continue;
		}
		others[i] = others[--count];
		i = 0;
	}
}

/* In 3.11, a thread that has given the lock away is known by its first state, though functions of
 * another one may be the innermost ones: then its _PyCFrame is further in. */
static bool has_inner(const struct cpython_walk *walk, const struct cpython_state *others,
		      unsigned count)
{
	uint64_t head = walk->state.head;

	if (walk->state.attached || !walk->python->layout->current)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (cpython_is_on_stack(walk, others[i].head) &&
		    (others[i].head < head || !cpython_is_on_stack(walk, head)))
			return true;
	return false;
}

/* Go on where the walk of the thread's state left off, or begin anew further in. */
static enum interp_outcome others_walk(struct cpython_walk *walk)
{
	struct cpython_state own = walk->state, others[CPYTHON_OTHERS_MAX + 1];
	unsigned count;

	count = cpython_state_others(walk, others);
	if (!own.attached && !walk->places->count)
		walk->unsure = false; /* all of it may be another state's */
	if (has_inner(walk, others, count)) {
		walk->places->count = walk->native = 0;
		walk->full = walk->unsure = false;
		others[count++] = own;
	}
	others_take(walk, others, count);
	walk->state = own;
	if (eval_next(walk) != CPYTHON_NO_FRAME)
		return INTERP_PARTIAL;
	if (walk->unsure)
		return own.attached ? INTERP_PENDING : INTERP_PARTIAL;
	return walk->places->count ? INTERP_MERGED : INTERP_NATIVE;
}

enum interp_outcome cpython_nested_walk(struct cpython_walk *walk)
{
	enum interp_outcome outcome = cpython_frames_walk(walk);
	bool lacks = outcome == INTERP_PENDING && !walk->state.attached;

	if (outcome > INTERP_PENDING || (!lacks && eval_next(walk) == CPYTHON_NO_FRAME) ||
	    !cpython_state_has_others(walk->python))
		return outcome;
	return others_walk(walk);
}
