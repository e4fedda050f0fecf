/*
 * Which memory outside of loaded objects holds code.  No handler can ask the kernel that without a
 * descriptor, so it is learnt: where a processor was is code, and what lies near it may be.
 *
 * Kept in the table of rules, as long as rules are.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_CODE_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* True if code was noted in the piece of memory around an address.
 * Context: signal; likewise the other, not holding unwind_lock. */
bool unwind_code_is_noted(const struct unwind_walk *walk, uint64_t address);

/* There is code at an address, which is in no loaded object. */
void unwind_code_note(struct unwind_walk *walk, uint64_t address);

#endif
