/*
 * Who called code that has no unwind information: hand-written assembly (GMP's, x264's), mostly
 * leaves, whose frame pointer is their caller's if it is one at all.  A return address is a word
 * that follows a call; where that call went tells how far it is to be believed.
 *
 * What the code before an address calls is read once (callsite.h) and kept in the table of rules,
 * as long as rules are.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_CALLSITE_SCAN_H
#define RUNTIME_SAMPLE_UNWIND_CALLSITE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* How many bytes below an address the function begins that was called; the fewer, the surer that
 * the address is in it. */
#define CALLSITE_SCAN_UNKNOWN 8192U	 /* the instruction does not say where it went */
#define CALLSITE_SCAN_OTHER   8193U	 /* further, or above, or to code with unwind information */
#define CALLSITE_SCAN_NONE    UINT32_MAX /* there is no call */

/* The offset of walk->pc from the entry of the function that the call just before `returns` calls,
 * or one of the above.  The first time of each `returns`, system calls; of memory that is in no
 * loaded object, the verdict may be old. Context: signal, not holding unwind_lock; likewise the
 * others. */
uint32_t callsite_scan_distance(struct unwind_walk *walk, uint64_t returns);

/* True if walk's frame is below the first function of a goroutine: nothing called it. */
bool callsite_scan_is_root(struct unwind_walk *walk);

/* By machine.  From walk's frame, of code that has no unwind information, to its caller where that
 * is believed more than `framed`, which the frame pointer says (0: nothing).  False, and nothing
 * changed: there is none. */
bool callsite_scan(struct unwind_walk *walk, uint64_t framed);

#endif
