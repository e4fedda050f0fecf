/*
 * Rules that the table lacks, for a walk.  Whatever asks libunwind first makes sure of enough stack
 * under the handler, and holds unwind_lock for no longer than the question.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_ASK_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* True if there is stack enough under the handler to find something out.  Context: signal; likewise
 * the others. */
bool unwind_ask_has_room(const struct unwind_walk *walk);

/* Take the lock, if there is stack enough to ask.  False after ending the walk. */
bool unwind_ask_may(struct unwind_walk *walk);

/* The rule of walk->pc, kept for next time; RULE_MISSING after ending the walk. */
uint64_t unwind_ask_rule(struct unwind_walk *walk);

/* The rule of another address of a loaded object; RULE_MISSING, and the walk goes on: not to be had
 * now. */
uint64_t unwind_ask_peek(struct unwind_walk *walk, uint64_t address);

#endif
