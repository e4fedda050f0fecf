/*
 * Steps from a frame to its caller that are not the common ones (unwind_follow.h): what all
 * machines share, and what each has for itself (unwind_step_x86_64.c, unwind_step_aarch64.c).
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_STEP_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/sample/unwind/unwind_state.h"

/* Go on from the registers that a signal interrupted: other stack or higher on the same one.
 * Sets range, sp and context.  False after ending the walk.  Context: signal; likewise the others.
 */
bool unwind_step_enter(struct unwind_walk *walk, const uint64_t *context, uint64_t sp);

/* libunwind's own steps from `registers`, the last context that is known whole, up to the
 * caller of the current frame, whose registers they then are.  False after ending the walk. */
bool unwind_step_library(struct unwind_walk *walk, uint64_t *registers);

/* By machine.  The registers of a context, and where they are. */
void unwind_step_begin(struct unwind_walk *walk, const ucontext_t *context);

/* By machine: to the caller by a rule that only this machine has, across a signal's frame, by
 * libunwind's own steps, and from a leaf at its first instruction.  False after ending the walk. */
bool unwind_step_shape(struct unwind_walk *walk, uint64_t rule);
bool unwind_step_signal(struct unwind_walk *walk);
bool unwind_step_slow(struct unwind_walk *walk);
bool unwind_step_entry(struct unwind_walk *walk);

#endif
