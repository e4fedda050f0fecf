/*
 * CPython 3.9 to 3.14, as one of the runtimes of interp_list.c.
 *
 * The interpreter that was looked at last is used.  A function of one interpreter may run a text in
 * another one (a subinterpreter).  The thread has a state in each, and the chain of frames of each
 * ends where it was entered.
 */
#include "runtime/sample/interp/cpython/cpython.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/sys/poison.h"

static struct cpython known; /* W: look, while no walk is.  R: walks */
static bool is_known;	     /* likewise */

static bool look(const struct interp_object *object, const char **why)
{
	memset(&known, 0, sizeof(known));
	*why = cpython_look(&known, object);
	is_known = !*why;
	return is_known;
}

/* True if the garbage collector of the thread's interpreter runs. */
static bool is_collecting(const struct cpython_walk *walk)
{
	const void *flag;

	if (!walk->state.attached)
		return false;
	flag = interp_read(walk->reader, walk->state.interp + walk->python->layout->collecting,
			   sizeof(uint32_t));
	return flag && cpython_half(flag, 0) == 1;
}

/* True if it is the innermost function of this stack that caused the collection: the collector runs
 * further in, and no C code called it further out.  The flag stays set while a finalizer lets other
 * threads run. */
static bool is_cause(const struct cpython_walk *walk, unsigned native)
{
	const struct interp_stack *stack = walk->stack;
	bool collects = false;

	for (unsigned i = 0; i < native; i++)
		collects |= interp_is_in(walk->python->collector, stack->pcs[i]);
	for (unsigned i = native; i < stack->depth; i++)
		if (interp_is_in(walk->python->collect, stack->pcs[i]))
			return false;
	return collects && !walk->state.ending;
}

/* Put the garbage collection in, as what the innermost function calls.  A collection runs functions
 * too: finalizers, callbacks.  They are in runs of the loop that began after it, so it is certain
 * where it belongs only if there is one run, which began before it. */
static void collecting_add(const struct cpython_walk *walk)
{
	struct interp_places *places = walk->places;
	unsigned native;

	if (!places->count)
		return;
	native = places->place[0].native;
	if (!native || native != places->place[places->count - 1].native ||
	    !is_cause(walk, native) || !interp_place_add(places, 0, 0))
		return;
	memmove(places->place + 1, places->place, (places->count - 1) * sizeof(*places->place));
	places->place[0] = (struct interp_place){ native, SPOOL_PC_COLLECTING };
}

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

/* Find the functions of all states of the thread: 3.11 and later. */
static enum interp_outcome nested_walk(struct cpython_walk *walk)
{
	enum interp_outcome outcome = cpython_frames_walk(walk);
	bool lacks = outcome == INTERP_PENDING && !walk->state.attached;

	if (outcome > INTERP_PENDING || (!lacks && eval_next(walk) == CPYTHON_NO_FRAME) ||
	    !cpython_state_has_others(walk->python))
		return outcome;
	return others_walk(walk);
}

static enum interp_outcome walk(const struct interp_stack *stack, struct interp_reader *reader,
				struct interp_places *places)
{
	struct interp_places own = { .place = places->place + places->count,
				     .max = places->max - places->count };
	struct cpython_walk walk = {
		.python = &known,
		.stack = stack,
		.reader = reader,
		.places = &own,
	};
	enum interp_outcome outcome;

	if (!is_known)
		return INTERP_NATIVE;
	if (!cpython_parts_find(&known))
		return INTERP_UNMERGED;
	if (!cpython_state_find(walk.python, reader, &walk.state))
		return INTERP_NO_STATE;
	outcome = walk.python->layout->frames == CPYTHON_OBJECTS ? cpython_objects_walk(&walk)
								 : nested_walk(&walk);
	if (is_collecting(&walk))
		collecting_add(&walk);
	places->count += own.count;
	return outcome;
}

static void forget(void)
{
	is_known = false;
}

const struct interp_runtime interp_python = {
	.name = "CPython",
	.mark = "_PyEval_EvalFrameDefault",
	.start = cpython_state_start,
	.look = look,
	.walk = walk,
	.forget = forget,
};
