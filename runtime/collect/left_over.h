/*
 * The policy for spools that a process left: which of them is written, by which part of flametrap,
 * and which is left alone.  The table is in left_over.c.
 */
#ifndef RUNTIME_COLLECT_LEFT_OVER_H
#define RUNTIME_COLLECT_LEFT_OVER_H

#include <stdbool.h>
#include <stdint.h>

/* The part of flametrap that found the spool. */
enum left_over_finder {
	LEFT_OVER_PARENT,  /* the writer of a process, on the list of its ended children */
	LEFT_OVER_IMAGE,   /* the writer of a process, under the name of an earlier image */
	LEFT_OVER_RECOVER, /* flametrap recover */
	LEFT_OVER_NOTICE,  /* a verb that only counts unfinished profiles */
};

/* Reasons to leave a spool, as bits, in the order in which they are asked for. */
enum left_over_reason {
	LEFT_OVER_NEVER_TAKEN = 1 << 0, /* a spool of this state is not for this finder */
	LEFT_OVER_RUNS = 1 << 1,	/* its process runs */
	LEFT_OVER_LOCKED = 1 << 2,	/* another flametrap is writing its profile */
	LEFT_OVER_PARENT_RUNS = 1 << 3, /* its parent is profiled, runs, and will write it */
};

#define LEFT_OVER_UNREAD \
	UINT32_MAX /* the state of a spool without a readable header, or not read yet */

/* Returns whether `finder` takes a spool whose header has the state `state` (SPOOL_RUNNING and so
 * on, or LEFT_OVER_UNREAD).  holds() says whether one reason holds; it is called only for reasons
 * that matter, and no more after one that holds.  It is never called for LEFT_OVER_NEVER_TAKEN. */
bool left_over_is_taken(enum left_over_finder finder, uint32_t state,
			bool (*holds)(enum left_over_reason reason, const void *context),
			const void *context);

#endif
