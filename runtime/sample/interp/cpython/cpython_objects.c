/*
 * The frames of CPython 3.9 and 3.10: objects, linked from the innermost outward.  Each is executed
 * by a run of the loop of its own, so they are counted: the outermost frame belongs to the
 * outermost run.  The innermost run may have no frame: it is being entered, or it is returning.  If
 * it is the leaf, one of its registers has the frame that is not linked.
 *
 * A function of one interpreter may run a text in another one (a subinterpreter).  The thread has a
 * state in each, and the frames of each end where it was entered.  Whoever switched to the inner
 * one keeps the outer state's address to switch back, on the stack between the runs of both: only
 * the state that is found there is taken for the next one outward.
 */
#include <stddef.h>

#include "runtime/sample/interp/cpython/cpython.h"
#include "runtime/sample/sys/poison.h"

#define CHUNK_WORDS (INTERP_READ_MAX / 8)
#define CHUNKS_MAX  64

/* Take all frames of a state.  False: what is there is not a frame. */
static bool frames_take(struct cpython_walk *walk, uint64_t frame, unsigned max)
{
	const struct cpython_layout *layout = walk->python->layout;
	unsigned first = walk->places->count;

	while (frame) {
		const void *from = interp_read(walk->reader, frame, layout->frame_bytes);

		if (!from || walk->full || walk->places->count == max)
			return false;
		frame = cpython_word(from, layout->previous);
		if (!cpython_code_take(walk, cpython_word(from, layout->code),
				       cpython_half(from, layout->pc)))
			return false;
	}
	return cpython_code_resolve(walk, first);
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

/* The native frame of the loop with that number, from the innermost one; the depth: there is none.
 */
static unsigned eval_at(const struct cpython_walk *walk, unsigned number)
{
	for (unsigned i = 0; i < walk->stack->depth; i++)
		if (cpython_is_eval(walk->python, walk->stack->pcs[i]) && !number--)
			return i;
	return walk->stack->depth;
}

/* True if a register holds this word. */
static bool is_in_register(const struct cpython_walk *walk, uint64_t word)
{
	uint64_t registers[CPYTHON_REGISTERS];

	if (!walk->stack->context)
		return false;
	cpython_registers(walk->stack->context, registers);
	for (unsigned i = 0; i < CPYTHON_REGISTERS; i++)
		if (registers[i] == word)
			return true;
	return false;
}

/* True if this word is on the stack in this range. */
static bool is_between(const struct cpython_walk *walk, uint64_t at, uint64_t end, uint64_t word)
{
	for (unsigned chunk = 0; chunk < CHUNKS_MAX && at < end; chunk++) {
		const void *from = interp_read(walk->reader, at, CHUNK_WORDS * sizeof(word));

		if (!from)
			return false;
		for (unsigned i = 0; i < CHUNK_WORDS && at < end; i++) {
			if (cpython_word(from, i * sizeof(word)) == word)
				return true;
			at += sizeof(word);
		}
	}
	return false;
}

/* The stack pointer of what the run of the loop of that number called, or of the leaf. */
static uint64_t run_low(const struct cpython_walk *walk, unsigned number)
{
	return walk->stack->sps[number ? eval_at(walk, number - 1) : 0];
}

/* True if this word is kept between the run of the loop of that number and the one that it called,
 * or the leaf. */
static bool is_kept(const struct cpython_walk *walk, unsigned number, uint64_t word)
{
	return is_between(walk, run_low(walk, number), walk->stack->sps[eval_at(walk, number)],
			  word) ||
	       (!number && is_in_register(walk, word));
}

/* True if the run of the loop of that number executes this frame, whose address it keeps until its
 * end: in its native frame, or in a register that what it called may have put further in. */
static bool is_executed(const struct cpython_walk *walk, unsigned number, uint64_t frame)
{
	unsigned native = eval_at(walk, number);

	return native < walk->stack->depth &&
	       (is_between(walk, run_low(walk, number), walk->stack->sps[native + 1], frame) ||
		is_in_register(walk, frame));
}

/* Take the frames of other states, from that of the innermost run that lacks its frame outward.
 * `surplus` runs have no frame.  True: now all others have theirs. */
static bool others_take(struct cpython_walk *walk, const struct cpython_state *others,
			unsigned count, unsigned evals, unsigned surplus)
{
	struct interp_places *places = walk->places;
	unsigned taken = 0; /* a bit for each */

	while (places->count + surplus < evals) {
		unsigned i = 0;

		while (i < count && (taken >> i & 1 ||
				     !is_kept(walk, places->count + surplus, others[i].address)))
			i++;
		if (i == count || !frames_take(walk, others[i].head, evals))
			return false;
		taken |= 1u << i;
	}
	return places->count + surplus == evals;
}

/* Take the frames of other states behind those of walk->state, which holds the lock.  False: they
 * do not fit. */
static bool holder_take(struct cpython_walk *walk, const struct cpython_state *others,
			unsigned count, unsigned evals, unsigned *surplus)
{
	unsigned first = walk->places->count;

	for (*surplus = 0; first && *surplus < 2; ++*surplus) {
		walk->places->count = first;
		if (others_take(walk, others, count, evals, *surplus))
			return true;
	}
	return false;
}

/* Take the frames of all states, if one that holds the lock is among `others`, and the stack tells
 * that this thread runs it.  That it names this thread is not enough: it names who made it. */
static bool inner_take(struct cpython_walk *walk, struct cpython_state *others, unsigned count,
		       unsigned evals, unsigned *surplus)
{
	uint64_t current = cpython_state_current(walk->python);
	struct cpython_state inner;
	unsigned first, i = 0;

	while (i < count && others[i].address != current)
		i++;
	walk->places->count = 0;
	if (i == count)
		return false;
	inner = others[i];
	others[i] = others[count - 1];
	others[count - 1] = inner;
	if (!frames_take(walk, inner.head, evals))
		return false;
	first = walk->places->count;
	for (*surplus = 0; *surplus < 2; ++*surplus) {
		walk->places->count = first;
		if (is_executed(walk, *surplus, inner.head) &&
		    others_take(walk, others, count - 1, evals, *surplus))
			return true;
	}
	return false;
}

/* Take the frames of all states, those of the one that holds the lock first; or, if the thread has
 * given it away, those of the state whose address it keeps to take it again.  False: they do not
 * fit. */
static bool nested_take(struct cpython_walk *walk, unsigned evals, unsigned *surplus)
{
	struct cpython_state others[CPYTHON_OTHERS_MAX + 1];
	unsigned own = walk->places->count, count;

	count = cpython_state_others(walk, others);
	if (own && walk->state.attached)
		return holder_take(walk, others, count, evals, surplus);
	others[count++] = walk->state;
	if (inner_take(walk, others, count, evals, surplus))
		return true;
	*surplus = walk->places->count = 0;
	return others_take(walk, others, count, evals, 0);
}

/* True if this is a frame that does not execute, and that the innermost frame called or calls. */
static bool is_callee(const struct cpython_walk *walk, uint64_t frame, uint64_t type)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *from;

	if (frame % sizeof(uint64_t) || frame == walk->state.head)
		return false;
	from = interp_read(walk->reader, frame, layout->frame_bytes);
	return from && cpython_word(from, CPYTHON_TYPE) == type &&
	       cpython_word(from, layout->previous) == walk->state.head &&
	       cpython_byte(from, layout->marker) != layout->marker_value;
}

/* True if the leaf is the loop and executes nothing yet, or nothing any more: of the frames that it
 * has in registers, one is called by the innermost frame and does not execute. */
static bool is_at_edge(const struct cpython_walk *walk)
{
	uint64_t registers[CPYTHON_REGISTERS], type;
	const void *head;

	if (!walk->state.attached || !walk->stack->context ||
	    !cpython_is_eval(walk->python, walk->stack->pcs[0]))
		return false;
	head = interp_read(walk->reader, walk->state.head, walk->python->layout->frame_bytes);
	if (!head)
		return false;
	type = cpython_word(head, CPYTHON_TYPE);
	cpython_registers(walk->stack->context, registers);
	for (unsigned i = 0; i < CPYTHON_REGISTERS; i++)
		if (is_callee(walk, registers[i], type))
			return true;
	return false;
}

enum interp_outcome cpython_objects_walk(struct cpython_walk *walk)
{
	unsigned evals = evals_count(walk);
	unsigned surplus;
	bool fits;

	fits = walk->stack->complete && frames_take(walk, walk->state.head, evals);
	surplus = evals - walk->places->count;
	if (fits && surplus && cpython_state_has_others(walk->python))
		fits = nested_take(walk, evals, &surplus);
	if (!fits || surplus > 1) {
		walk->places->count = 0;
		return INTERP_UNMERGED;
	}
	frames_place(walk, surplus);
	if (surplus && !is_at_edge(walk))
		return INTERP_PENDING;
	return evals ? INTERP_MERGED : INTERP_NATIVE;
}
