/*
 * The call of a function in CPython 3.11 and 3.12, while the new frame is not linked with its
 * caller's yet.
 */
#include <stddef.h>

#include "runtime/sample/interp/cpython/cpython.h"
#include "runtime/sample/sys/poison.h"

#define GENERATOR_STATE 5 /* bytes before a generator's frame: 0 if it executes */
#define SLOTS_MAX	65536
#define CALLERS_MAX	16

/* The end of a frame whose slots are on the data stack; 0: what is there is not a frame. */
static uint64_t frame_end(const struct cpython_walk *walk, uint64_t frame, const void *from)
{
	const struct cpython_layout *layout = walk->python->layout;
	uint32_t slots = cpython_code_slots(walk, cpython_word(from, layout->code));

	return slots ? frame + layout->specials + (uint64_t)slots * CPYTHON_FRAME_SLOT : 0;
}

static bool is_executing_generator(const struct cpython_walk *walk, uint64_t frame)
{
	const void *state = interp_read(walk->reader, frame - GENERATOR_STATE, 1);

	return state && !cpython_byte(state, 0);
}

/* A generator that a frame runs is on top of its slots: then that frame calls nothing else. */
static bool runs_generator(const struct cpython_walk *walk, uint64_t frame, const void *from)
{
	const struct cpython_layout *layout = walk->python->layout;
	int32_t slots = (int32_t)cpython_half(from, layout->pc + sizeof(uint64_t));
	const void *slot, *inner;
	uint64_t generator;

	if (slots <= 0 || slots > SLOTS_MAX)
		return false;
	slot = interp_read(walk->reader,
			   frame + layout->specials + (uint64_t)(slots - 1) * CPYTHON_FRAME_SLOT,
			   sizeof(uint64_t));
	if (!slot)
		return false;
	generator = cpython_word(slot, 0);
	inner = interp_read(walk->reader, generator + layout->generator_frame, layout->frame_bytes);
	return inner && cpython_word(inner, layout->previous) == frame &&
	       cpython_byte(inner, layout->owner) == CPYTHON_OWNER_GENERATOR;
}

/* True if the frame is live and ends where the next one begins. */
static bool is_before(const struct cpython_walk *walk, uint64_t frame, uint64_t next)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *from;

	if (frame % sizeof(uint64_t) || frame >= next || cpython_is_on_stack(walk, frame))
		return false;
	from = interp_read(walk->reader, frame, layout->frame_bytes);
	return from && cpython_byte(from, layout->owner) != CPYTHON_OWNER_GENERATOR &&
	       frame_end(walk, frame, from) == next &&
	       cpython_code_is(walk, cpython_word(from, layout->code),
			       cpython_word(from, layout->pc));
}

/* Until the loop has linked a frame, it has the caller's in a register.  0: not known, or more than
 * one register holds what could be it. */
static uint64_t caller_in_registers(const struct cpython_walk *walk, uint64_t frame)
{
	uint64_t registers[CPYTHON_REGISTERS], caller = 0;

	if (!cpython_is_eval(walk->python, walk->stack->pcs[0]))
		return 0;
	cpython_registers(walk->stack->context, registers);
	for (unsigned i = 0; i < CPYTHON_REGISTERS; i++) {
		if (registers[i] == caller || !is_before(walk, registers[i], frame))
			continue;
		if (caller)
			return 0;
		caller = registers[i];
	}
	return caller;
}

/* True if a frame that was just entered is linked with its caller: it lies right behind the next
 * frame outward that is on the data stack.  The frames of generators are not there, nor are
 * markers. */
static bool is_linked(const struct cpython_walk *walk, uint64_t frame, uint64_t caller)
{
	const struct cpython_layout *layout = walk->python->layout;

	for (unsigned i = 0; i < CALLERS_MAX && caller; i++) {
		const void *from = interp_read(walk->reader, caller, layout->frame_bytes);

		if (!from || (!i && runs_generator(walk, caller, from)))
			return false;
		if (!cpython_is_on_stack(walk, caller) &&
		    cpython_byte(from, layout->owner) != CPYTHON_OWNER_GENERATOR)
			return frame_end(walk, caller, from) == frame;
		if (!cpython_is_on_stack(walk, caller) && !is_executing_generator(walk, caller))
			return false;
		caller = cpython_word(from, layout->previous);
	}
	return false;
}

bool cpython_call_caller(const struct cpython_walk *walk, uint64_t frame, uint64_t *caller)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *from = interp_read(walk->reader, frame, layout->frame_bytes);

	if (!from)
		return false;
	*caller = cpython_word(from, layout->previous);
	if (cpython_word(from, layout->pc) !=
		    cpython_word(from, layout->code) + layout->start - CPYTHON_CODE_UNIT ||
	    cpython_byte(from, layout->marker) == layout->marker_value ||
	    cpython_is_on_stack(walk, *caller) || is_linked(walk, frame, *caller))
		return true;
	*caller = caller_in_registers(walk, frame);
	return *caller;
}
