/*
 * Runs of the loop of CPython 3.11 and later: what one is, and how its functions are taken.
 */
#ifndef RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_RUN_H
#define RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/interp/cpython/cpython.h"

#define CPYTHON_OWNER_GENERATOR 1

enum cpython_run_end {
	CPYTHON_RUN_MARKER, /* it ends at its marker */
	CPYTHON_RUN_LAST,   /* there are no frames */
	CPYTHON_RUN_BEYOND, /* its marker is beyond the outermost frame of a stack that was cut */
	CPYTHON_RUN_WRONG,
};

/* One run of the loop. */
struct cpython_run {
	unsigned first;	 /* index of its innermost place */
	unsigned native; /* frame that it has its marker in; CPYTHON_NO_FRAME in 3.11 */
	uint64_t outer;	 /* the frame that called it */
	bool called;	 /* its outermost frame is not that of a generator */
};

/* Returns the native frame of the interpreter's, from walk->native outward, that holds an address
 * of the stack; CPYTHON_NO_FRAME: there is none.  Context: signal; likewise the others. */
unsigned cpython_native_find(const struct cpython_walk *walk, uint64_t address);

/* Take the functions of one run, from `frame` outward to its marker.  `caller`: the next frame, if
 * it is known otherwise; 0: the one that `frame` names. */
enum cpython_run_end cpython_run_take(struct cpython_walk *walk, uint64_t frame, uint64_t caller,
				      struct cpython_run *run);

/* The run is believed: its functions belong to this native frame. */
void cpython_run_place(struct cpython_walk *walk, const struct cpython_run *run, unsigned native);

/* Returns what the walk came to, when all runs are in their places: PENDING where a run of the loop
 * inside of the innermost function's may have functions. */
enum interp_outcome cpython_run_outcome(struct cpython_walk *walk);

/* Find the frame that called one which may have been entered just now, and may not name it yet:
 * *caller, 0 for the outermost frame.  False: it is not certain. */
bool cpython_call_caller(const struct cpython_walk *walk, uint64_t frame, uint64_t *caller);

/* True if an address of the stack belongs to a frame that a cut stack does not have. */
static inline bool cpython_is_beyond(const struct cpython_walk *walk, uint64_t address)
{
	return !walk->stack->ends && address >= walk->stack->sps[walk->stack->depth];
}

/* True if the leaf is the loop, and may not have linked its frame yet. */
bool cpython_is_entering(const struct cpython_walk *walk);

/* True if the frames outward of the innermost one, which was read, are certainly live: it has
 * executed something, so it was linked with them. */
bool cpython_is_settled(const struct cpython_walk *walk, uint64_t code, uint64_t at);

#endif
