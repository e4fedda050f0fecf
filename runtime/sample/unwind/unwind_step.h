/*
 * Steps of a walk from a frame to its caller, the common one and the uncommon ones.  Some are
 * shared by all machines, others are by machine (unwind_step_x86_64.c, unwind_step_aarch64.c).
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_STEP_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/sample/unwind/unwind_state.h"

/* By machine.  Goes from walk's frame to its caller.  Returns false after ending the walk.
 * Context: signal; likewise the others. */
bool unwind_follow(struct unwind_walk *walk);

/* Like unwind_follow(), by any rule, or by a rule that the table lacks.  Code outside of modules
 * has no rule, and libunwind is not asked for one. */
bool unwind_follow_rule(struct unwind_walk *walk, uint64_t rule);
bool unwind_follow_unknown(struct unwind_walk *walk);

/* Continues from the registers that a signal interrupted, on another stack or higher on the same
 * one.  Sets range, sp and context.  Returns false after ending the walk. */
bool unwind_step_enter(struct unwind_walk *walk, const uint64_t *context, uint64_t sp);

/* Lets libunwind step from `registers`, the last complete context, to the caller of the current
 * frame, and stores the caller's registers there.  Returns false after ending the walk. */
bool unwind_step_library(struct unwind_walk *walk, uint64_t *registers);

/* By machine.  Takes the registers of a context and remembers their address. */
void unwind_step_begin(struct unwind_walk *walk, const ucontext_t *context);

/* By machine.  Takes the registers of walk->context, except the stack pointer. */
void unwind_step_take(struct unwind_walk *walk);

/* By machine.  Goes to the caller by a rule that only this machine has, across a signal frame, by
 * libunwind's own steps, or from a leaf at its first instruction.  Returns false after ending the
 * walk. */
bool unwind_step_shape(struct unwind_walk *walk, uint64_t rule);
bool unwind_step_signal(struct unwind_walk *walk);
bool unwind_step_slow(struct unwind_walk *walk);
bool unwind_step_entry(struct unwind_walk *walk);

/* Goes to the caller where the rule of walk->pc gives a return address that is no address of code,
 * in the word at `slot`.  A thread's first frame has none.  Elsewhere the rule is wrong, and the
 * code is asked. */
bool unwind_step_nowhere(struct unwind_walk *walk, uint64_t slot);

/* Goes to the caller by the instructions around walk->pc alone, and marks it as a guess. */
bool unwind_step_code(struct unwind_walk *walk);

/* The last resort for code that libunwind knows nothing about (unwind_guess.c): goes to the caller
 * by the call that led here (callsite.h) or by the frame pointer, and marks it as a guess.
 * in_module: the code belongs to a loaded object and was not compiled at run time.  Returns false
 * after ending the walk. */
bool unwind_guess(struct unwind_walk *walk, bool in_module);

/*
 * Return addresses that a uretprobe has replaced.  While the function runs, the kernel keeps the
 * true one, and the stack holds the address of its trampoline, at the start of the page [uprobes].
 */

/* True if a frame without a rule is that trampoline; its pc is the return address minus one.
 * Context: signal. */
bool uretprobe_took(uint64_t pc);

/* x86-64.  Returns the number of words on the stack up to and including the true return address,
 * for a leaf in the trampoline after the kernel has put the address back; 0 anywhere else.
 * Context: signal. */
unsigned uretprobe_words(uint64_t pc);

#endif
