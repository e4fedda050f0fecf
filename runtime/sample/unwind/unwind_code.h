/*
 * Learns which memory outside of loaded objects holds code.  A handler cannot ask the kernel
 * without a descriptor.  So an address that a processor has executed counts as code, and memory
 * near it may be code.
 *
 * The knowledge is kept in the table of rules, for as long as rules are.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_CODE_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* True if code was noted in the piece of memory around an address.  Context: signal, not holding
 * unwind_lock; likewise the other. */
bool unwind_code_is_noted(const struct unwind_walk *walk, uint64_t address);

/* Notes that there is code at an address outside of loaded objects. */
void unwind_code_note(struct unwind_walk *walk, uint64_t address);

#endif
