/*
 * Frames by the frame pointer, for code without unwind information, in a loaded object or compiled
 * at run time.  The register may hold anything.  The pair that it points at is accepted only if the
 * second word is a return address, in one of these cases:
 *
 * - A call precedes it.  If it lies outside of loaded objects, the first word must also point at
 *   another pair, higher up: all run-time compiled code has such frames.
 * - It lies outside of loaded objects and no call precedes it (HotSpot's interpreter pushes return
 *   addresses without a call), but pairs lead from there to one that meets another of these cases.
 * - It is the trampoline of a signal, or the last word of a stack that was made by hand.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_FRAME_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_FRAME_H

#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* Returns the return address next to the word that walk's frame pointer points at.  0: this is not
 * a frame.  Context: signal, not holding unwind_lock. */
uint64_t unwind_frame_target(struct unwind_walk *walk);

#endif
