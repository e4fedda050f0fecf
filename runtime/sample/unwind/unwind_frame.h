/*
 * Frames by the frame pointer: of code without unwind information, in a loaded object or compiled
 * while the program runs.  The register may hold anything, so the pair that it points at is
 * believed only where the second word is a return address:
 *
 * - a call comes before it, and if it is in memory of no loaded object, the first word points at
 *   another pair, higher up: what a run-time compiler made has a frame like that everywhere;
 * - or it is in such memory, no call comes before it (HotSpot's interpreter pushes return addresses
 *   that nobody's call made), and pairs lead on from there to one of which the others hold;
 * - or it is the trampoline of a signal, or the last of a stack that was made by hand.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_FRAME_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_FRAME_H

#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* The return address beside what walk's frame pointer points at; 0: that is no frame.
 * Context: signal, not holding unwind_lock. */
uint64_t unwind_frame_target(struct unwind_walk *walk);

#endif
