/*
 * The shadow of the stack, from the calls and returns that were seen.  Each stack that the program
 * switches between has one of its own.
 */
#ifndef TESTS_UNWIND_ORACLE_SHADOW_H
#define TESTS_UNWIND_ORACLE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

#define ORACLE_SHADOW_MAX 10240 /* frames of a stack */

enum oracle_shadow_step {
	ORACLE_SHADOW_STEP,
	ORACLE_SHADOW_SKIP,    /* the first instruction of a callee that is to run at full speed */
	ORACLE_SHADOW_UNKNOWN, /* on a new stack, where its first function has not begun yet */
	ORACLE_SHADOW_ELSEWHERE, /* on a stack of which nothing is known */
};

/* Forget all but which stacks there are.  The first is at [low, high). */
void oracle_shadow_begin(uint64_t low, uint64_t high);

/* Follow one instruction, at which nothing else is known of the first stack but the walk. */
enum oracle_shadow_step oracle_shadow_follow(uint64_t pc, uint64_t sp, const uint64_t *pcs,
					     const struct unwind_result *result);

/* Return addresses on the present stack. */
unsigned oracle_shadow_depth(void);

/* True if the frames are those of the calls, and the end is no earlier than the result says. */
bool oracle_shadow_is_right(const uint64_t *pcs, const struct unwind_result *result);

/* True if so many frames are all of a stack that is not the first. */
bool oracle_shadow_is_whole(unsigned depth);

/* No function on the present stack is skipped any more. */
void oracle_shadow_never_skip(void);

#endif
