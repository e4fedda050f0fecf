/*
 * Goes from a frame to its caller, by the frame's rule.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_FOLLOW_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* By machine (unwind_follow_x86_64.c, unwind_follow_aarch64.c).  Go from walk's frame to its
 * caller. False after ending the walk.  Context: signal; likewise the others. */
bool unwind_follow(struct unwind_walk *walk);

/* Like unwind_follow(), by any rule, or by a rule that the table lacks.  Code outside of modules
 * has no rule, and libunwind is not asked for one. */
bool unwind_follow_rule(struct unwind_walk *walk, uint64_t rule);
bool unwind_follow_unknown(struct unwind_walk *walk);

#endif
