/*
 * Finds the return address of code without unwind information.  The distance follows from the
 * code's changes of the stack pointer from here to the end of the function.
 *
 * The result is kept in the table of rules, for as long as rules are.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_RETURN_X86_64_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_RETURN_X86_64_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* Returns the slot of the return address of walk's frame, in its stack, and stores the caller's
 * frame pointer in *frame.  0: the code does not tell.  The caller must still judge the word in the
 * slot.  Makes system calls the first time it sees an address.  Context: signal, not holding
 * unwind_lock. */
uint64_t unwind_return_slot(struct unwind_walk *walk, uint64_t *frame);

/* True if straight-line code leads from `entry` to pc and moves the stack pointer down by `bytes`.
 * Makes system calls.  Context: signal, not holding unwind_lock. */
bool unwind_return_begun(const struct unwind_walk *walk, uint64_t entry, uint64_t pc,
			 int64_t bytes);

#endif
