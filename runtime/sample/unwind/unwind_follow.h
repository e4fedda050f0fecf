/*
 * From a frame to its caller, by its rule.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_FOLLOW_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* By machine (unwind_follow_x86_64.c, unwind_follow_aarch64.c).  Go from walk's frame to its
 * caller. False after ending the walk.  Context: signal; likewise the others. */
bool unwind_follow(struct unwind_walk *walk);

/* The same by any rule, or by one that the table lacks (code in no module has none, and is not
 * asked for). */
bool unwind_follow_rule(struct unwind_walk *walk, uint64_t rule);
bool unwind_follow_unknown(struct unwind_walk *walk);

#endif
