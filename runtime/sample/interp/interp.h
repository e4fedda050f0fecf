/*
 * The functions of interpreted programs, placed among the native frames of a sample.
 *
 * Each runtime is one file (or a few with its name as prefix) behind struct interp_runtime.  It
 * recognises its interpreter among the loaded objects, once; and for a sample it says which
 * functions run in which native frame.  It finds them by address if it can: an interpreter's
 * loop keeps something of its own in its native frame.  For CPython until 3.10 and for Perl it
 * counts frames.  Where it is not certain, it leaves native frames.
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_H
#define RUNTIME_SAMPLE_INTERP_INTERP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/sample/interp/interp_read.h"
#include "runtime/sample/cfi/unwind_range.h"

struct modules;

/* A native stack, leaf first. */
struct interp_stack {
	const uint64_t *pcs; /* addresses to look up, as unwind_walk() gives them */
	const uint64_t *sps; /* the stack pointer in each frame; sps[i + 1] is the CFA of frame i */
	unsigned depth;
	const ucontext_t *context; /* the interrupted code's registers */
	bool ends;		   /* it reaches the outermost frame, or seems to */
	bool complete;		   /* it reaches the outermost frame, and no frame is a guess */
	struct unwind_range range; /* all of it can be read: the stack of the outermost frame */
};

/* One function of the program in a native frame. */
struct interp_place {
	uint32_t native; /* index of the native frame that runs it */
	uint64_t pc;	 /* spool_code_pc(), or SPOOL_PC_NO_CODE, SPOOL_PC_COLLECTING */
};

/* The result of a walk: functions, innermost first, so `native` never falls. */
struct interp_places {
	struct interp_place *place;
	unsigned count, max;
};

/* The memory of a thread's walks, which a handler's stack has no room for. */
struct interp_work {
	struct interp_reader reader;
	struct interp_places places;
	uint64_t *sps;	  /* room for one more than the greatest depth */
	uint64_t *merged; /* the merged stack, leaf first */
	unsigned max;	  /* room in it */
	bool cut;	  /* its outermost frames had no room */
};

/* What a merge came to, for the account. */
enum interp_outcome {
	INTERP_NATIVE,	 /* no interpreter is in this stack */
	INTERP_MERGED,	 /* all functions are in their places */
	INTERP_PENDING,	 /* likewise, but the innermost call or return was in progress */
	INTERP_PARTIAL,	 /* likewise, but functions further out are missing */
	INTERP_NO_STATE, /* no state of this thread: starting, ending, or not the interpreter's */
	INTERP_UNMERGED, /* what was found contradicts itself, or could or must not be read */
};

/* Returns the bytes of memory that walks up to that depth need.  Context: any. */
size_t interp_work_bytes(unsigned depth);

/* Begin to use such memory, which is aligned like an uint64_t[2] and full of zeroes.  Only the
 * returned struct is written.  Context: thread. */
struct interp_work *interp_work_start(void *memory, unsigned depth);

/* Begin to look for interpreters among the objects of `modules`, at the first sample.  `note`
 * receives one line for each interpreter whose functions cannot be shown; Context: any.  Without
 * this call no interpreter is ever known.  Context: init. */
void interp_start(const struct modules *modules, void (*note)(const char *line));

/* In the child of a fork, before its modules begin anew.  Context: fork child. */
void interp_restart(void);

/* Before and after objects may be unloaded: in between no functions are found, because a walk could
 * read the data of an interpreter that is gone already.  An interpreter that is the program itself
 * stays.  The first waits for walks that are under way, some 10 ms at most.  Context: thread. */
void interp_unload_begin(void);
void interp_unload_end(void);

/* True if a known interpreter is loaded, or was until a moment ago.  Looks at objects that are new
 * and at those that may be gone, if there are any.  Context: signal. */
bool interp_is_here(void);

/* Put the functions of interpreters into a stack: work->merged receives the merged stack; a
 * function stands right after (on the leaf's side of) the native frame that runs it.  Returns its
 * depth, or 0 if the stack stays as it is; *outcome says why.  Context: signal. */
unsigned interp_merge(const struct interp_stack *stack, struct interp_work *work,
		      enum interp_outcome *outcome);

#endif
