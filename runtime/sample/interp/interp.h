/*
 * The functions of interpreted programs, placed among the native frames of a sample.
 *
 * Each runtime is one file (or a few with its name as prefix) behind struct interp_runtime.  It
 * recognises its interpreter among the loaded objects, once; and for a sample it says which
 * functions run in which native frame.  It finds them by address: an interpreter's loop keeps
 * something of its own in its native frame.  Where it is not certain, it leaves native frames.
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_H
#define RUNTIME_SAMPLE_INTERP_INTERP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/rules/unwind_range.h"

struct interp_state;

/* A native stack, leaf first, and room for the result.  The thread's own. */
struct interp_stack {
	uint64_t *pcs;	     /* addresses to look up, as unwind_walk() gives them */
	const uint64_t *sps; /* the stack pointer in each frame; sps[i + 1] is the CFA of frame i */
	unsigned depth;
	bool complete;			   /* it reaches the outermost frame */
	const struct unwind_stack *stack; /* the thread's own stack, readable from sps[0] on */
};

/* What a merge came to, for the account. */
enum interp_outcome {
	INTERP_NATIVE,	 /* no interpreter is in this stack */
	INTERP_MERGED,	 /* all functions are in their places */
	INTERP_PENDING,	 /* likewise, but the innermost call or return was in progress */
	INTERP_NO_STATE, /* no state of this thread: starting, ending, or not the interpreter's */
	INTERP_UNMERGED, /* what was found contradicts itself, or could not be read */
};

/* Look for interpreters among the objects loaded at the start.  Context: init. */
void interp_start(void);

/* Put the functions of interpreters into a stack: `into` has room for `max` addresses and receives
 * the merged stack, leaf first; a function stands right after (on the leaf's side of) the native
 * frame that runs it.  Returns the new depth, or 0 with *into unspecified if the stack stays as it
 * is; *outcome says why.  Context: signal. */
unsigned interp_merge(const struct interp_stack *stack, uint64_t *into, unsigned max,
		      enum interp_outcome *outcome);

#endif
