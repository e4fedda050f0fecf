/*
 * CPython 3.9 to 3.14, as one of the runtimes of interp_list.c.
 *
 * The interpreter that was looked at last is used.
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

static bool is_in(struct cpython_range range, uint64_t pc)
{
	return pc - range.start < range.end - range.start;
}

/* True if it is the innermost function of this stack that caused the collection: the collector runs
 * further in, and no C code called it further out.  The flag stays set while a finalizer lets other
 * threads run. */
static bool is_cause(const struct cpython_walk *walk, unsigned native)
{
	const struct interp_stack *stack = walk->stack;
	bool collects = false;

	for (unsigned i = 0; i < native; i++)
		collects |= is_in(walk->python->collector, stack->pcs[i]);
	for (unsigned i = native; i < stack->depth; i++)
		if (is_in(walk->python->collect, stack->pcs[i]))
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
								 : cpython_nested_walk(&walk);
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
