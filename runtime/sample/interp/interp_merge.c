/* Each runtime that has a frame in the stack finds its functions.  Then they are woven into it. */
#include "runtime/sample/interp/interp.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/poison.h"

size_t interp_work_bytes(unsigned depth)
{
	return sizeof(struct interp_work) + depth * sizeof(struct interp_place) +
	       (2UL * depth + 1) * sizeof(uint64_t);
}

struct interp_work *interp_work_start(void *memory, unsigned depth)
{
	struct interp_work *work = memory;

	work->places.place = (void *)(work + 1);
	work->places.max = work->max = depth;
	work->sps = (void *)(work->places.place + depth);
	work->merged = work->sps + depth + 1;
	return work;
}

static bool has_frame_in(const struct interp_stack *stack, const struct interp_found *found)
{
	for (unsigned i = 0; i < stack->depth; i++)
		if (stack->pcs[i] - found->start < found->end - found->start)
			return true;
	return false;
}

/* The part of the range that holds frames, so that no slot below the leaf is taken for one. */
static void begin(struct interp_reader *reader, const struct interp_stack *stack)
{
	uint64_t low = stack->range.low, high = low + stack->range.last * 8 + 8;

	for (unsigned i = 0; i < stack->depth; i++) {
		if (stack->sps[i] < low || stack->sps[i] >= high)
			continue;
		low = stack->sps[i];
		break;
	}
	interp_read_begin(reader, low, high);
}

/* Sorts the places from `first` on, of one runtime, into those of others before. */
static void sort_in(struct interp_places *places, unsigned first)
{
	for (unsigned i = first; first && i < places->count; i++) {
		struct interp_place place = places->place[i];
		unsigned at = i;

		for (; at && places->place[at - 1].native > place.native; at--)
			places->place[at] = places->place[at - 1];
		places->place[at] = place;
	}
}

/* True if the places from `first` on are frames of the stack, in order. */
static bool is_sound(const struct interp_stack *stack, const struct interp_places *places,
		     unsigned first)
{
	uint32_t native = 0;

	for (unsigned i = first; i < places->count; i++) {
		if (places->place[i].native < native || places->place[i].native >= stack->depth)
			return false;
		native = places->place[i].native;
	}
	return true;
}

static enum interp_outcome find_one(const struct interp_runtime *runtime,
				    const struct interp_stack *stack, struct interp_work *work)
{
	unsigned first = work->places.count;
	enum interp_outcome outcome;

	begin(&work->reader, stack);
	outcome = runtime->walk(stack, &work->reader, &work->places);
	if (!interp_read_is_whole(&work->reader) ||
	    (outcome <= INTERP_PARTIAL && !is_sound(stack, &work->places, first)))
		outcome = INTERP_UNMERGED;
	if (outcome > INTERP_PARTIAL)
		work->places.count = first;
	else if (outcome == INTERP_MERGED && work->places.count == first)
		outcome = INTERP_NATIVE; /* it runs no function yet, or none of this thread */
	sort_in(&work->places, first);
	return outcome;
}

/* Returns the new depth. */
static unsigned weave(const struct interp_stack *stack, struct interp_work *work)
{
	const struct interp_place *place = work->places.place, *end = place + work->places.count;
	unsigned depth = 0;

	for (unsigned i = 0; i < stack->depth; i++) {
		for (; place < end && place->native == i && depth < work->max; place++)
			work->merged[depth++] = place->pc;
		if (depth == work->max) {
			work->cut = true;
			break;
		}
		work->merged[depth++] = stack->pcs[i];
	}
	return depth;
}

static bool may_read(enum interp_find state, const struct interp_found *found)
{
	return (state == INTERP_FIND_SURE || found->stays) && !sys_is_quiet();
}

unsigned interp_merge(const struct interp_stack *stack, struct interp_work *work,
		      enum interp_outcome *outcome)
{
	enum interp_find state = interp_find_enter();

	*outcome = INTERP_NATIVE;
	work->places.count = 0;
	work->cut = false;
	if (state == INTERP_FIND_NONE)
		return 0;
	for (unsigned i = 0; interp_runtimes[i]; i++) {
		const struct interp_found *found = interp_find_get(i);
		enum interp_outcome one;

		if (!found || !has_frame_in(stack, found))
			continue;
		one = may_read(state, found) ? find_one(found->runtime, stack, work)
					     : INTERP_UNMERGED;
		if (one > *outcome)
			*outcome = one;
	}
	interp_find_leave();
	return work->places.count ? weave(stack, work) : 0;
}
