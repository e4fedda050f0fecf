/*
 * Where the return address of code without unwind information is: what the code does to the stack
 * pointer from here to the end of the function says how far away it is.
 *
 * What was found is kept in the table of rules, as long as rules are.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_RETURN_X86_64_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_RETURN_X86_64_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* The slot of the return address of walk's frame, in its stack, and the caller's frame pointer.  0:
 * the code does not tell.  The word is to be judged all the same.  The first time of each address,
 * system calls.  Context: signal, not holding unwind_lock. */
uint64_t unwind_return_slot(struct unwind_walk *walk, uint64_t *frame);

#endif
