/*
 * Finds the caller of code that has no unwind information.  Such code is hand-written assembly
 * (GMP's, x264's): mostly leaves, in which the frame pointer, if there is one, belongs to the
 * caller.  A return address is a word that points just behind a call.  The destination of that call
 * tells how trustworthy the word is.  The code before an address is read once, and the result kept
 * in the table of rules, for as long as rules are.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_CALLSITE_H
#define RUNTIME_SAMPLE_UNWIND_CALLSITE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

#define CALLSITE_NONE	 0 /* there is no call */
#define CALLSITE_UNKNOWN 1 /* a call whose instruction does not contain its destination */
#define CALLSITE_OTHER	 2 /* to a function that has unwind information */
#define CALLSITE_ROOT	 3 /* no call: Go stores this address below a goroutine's first frame */
#define CALLSITE_SOME	 4 /* a call whose destination was not asked for */

/* Returns the destination of the call instruction just before `returns`, or one of the values above
 * except CALLSITE_OTHER.  Only the code itself is read, and that of the destination, which may be a
 * stub of the linker, only if `destination`: else any call is CALLSITE_SOME.  Where there is no
 * call, Go's runtime.goexit is recognised by the no-op at its start and the call behind it.  Makes
 * system calls.  Context: signal, not holding unwind_lock. */
uint64_t callsite_callee(const struct unwind_walk *walk, uint64_t returns, bool destination);

/* With this bit, `returns` is the key under which the destination of the call before it is kept. No
 * address of code has the bit. */
extern const uint64_t callsite_key_bit;

/* Number of bytes from the entry of the called function to an address.  The smaller it is, the more
 * likely the address lies in that function. */
#define CALLSITE_SCAN_UNKNOWN 8192U	 /* the instruction has no destination */
#define CALLSITE_SCAN_OTHER   8193U	 /* further away, above, or in code with unwind rules */
#define CALLSITE_SCAN_NONE    UINT32_MAX /* there is no call */

/* True if there is a call just before `returns`, or Go's mark of a goroutine's first frame.  Makes
 * a system call the first time it sees a `returns`.  For memory outside of loaded objects the
 * verdict may be out of date.  Context: signal, not holding unwind_lock; likewise the others. */
bool callsite_scan_is_called(struct unwind_walk *walk, uint64_t returns);

/* Returns the offset of walk->pc from the entry of the function that the call just before `returns`
 * calls, or one of the values above.  Likewise, with more system calls. */
uint32_t callsite_scan_distance(struct unwind_walk *walk, uint64_t returns);

/* True if walk's frame is below the first function of a goroutine.  That frame has no caller. */
bool callsite_scan_is_root(struct unwind_walk *walk);

/* True if code was noted in the piece of memory around an address outside of loaded objects.  A
 * handler cannot ask the kernel without a descriptor.  So an address that a processor has executed
 * counts as code, and memory near it may be code.  Kept as long as rules are. */
bool callsite_scan_is_code(const struct unwind_walk *walk, uint64_t address);

/* Notes that there is code at an address outside of loaded objects. */
void callsite_scan_note_code(struct unwind_walk *walk, uint64_t address);

/* By machine.  Goes from walk's frame, whose code has no unwind information, to its caller, if a
 * caller is found that is more trustworthy than `framed`, the return address that the frame pointer
 * leads to (0: none).  Returns false, with nothing changed, if there is none. */
bool callsite_scan(struct unwind_walk *walk, uint64_t framed);

/* By machine.  Goes from an interrupted leaf in run-time compiled code to its caller, if the leaf's
 * code tells that it has no frame: then the frame pointer is its caller's, and would lead past it.
 * Returns false, with nothing changed, if the leaf has a frame, or if that is not known. */
bool callsite_scan_leaf(struct unwind_walk *walk);

/* By machine.  Goes from walk's frame to its caller if its instructions tell where the return
 * address is, and a return address is there.  Returns false, with nothing changed, if not. */
bool callsite_scan_code(struct unwind_walk *walk);

enum callsite_scan_verdict {
	CALLSITE_SCAN_SILENT, /* nothing speaks against the rule */
	CALLSITE_SCAN_AGREES, /* the code leads to the slot of the rule, at every visit */
	CALLSITE_SCAN_LEFT,   /* walk has gone to the caller, by the code */
};

/* x86-64.  Compares a rule, which gives the slot of the return address, with the instructions
 * around walk's address and with the words of the frame. */
enum callsite_scan_verdict callsite_scan_doubted(struct unwind_walk *walk, uint64_t slot);

#endif
