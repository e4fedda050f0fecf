/*
 * The truth about a stack, one instruction at a time: code runs under the processor's trap flag,
 * every call and return is seen, and at every instruction the unwinder's answer is compared
 * with the calls that were really made.
 */
#ifndef TESTS_UNWIND_ORACLE_H
#define TESTS_UNWIND_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORACLE_WRONG_MAX  4096
#define ORACLE_STACKS_MAX 8
#define ORACLE_SHADOW_MAX 10240 /* frames of a stack */

struct unwind_result;

struct oracle_counts {
	uint64_t steps;
	uint64_t right;	    /* the whole chain, to the outermost frame */
	uint64_t truncated; /* a correct beginning, and the end says that it is not the whole */
	uint64_t guessed;   /* the whole chain, but marked as a guess */
	uint64_t mistaken;  /* differs, and is marked as a guess */
	uint64_t wrong;	    /* differs without a mark, or looks whole and is not */
	uint64_t rooted;    /* the whole chain of a stack that the program made, and an end that
			     * does not believe it */
	uint64_t elsewhere; /* on a stack of which the oracle knows nothing */
	uint64_t misses;
	uint64_t addresses; /* different ones among the instructions */
	uint64_t deepest;   /* frames of a walk */
};

extern struct oracle_counts oracle_counts;

/* Where chains were not right: instruction, how (the letter it begins with), and the walk's end. */
struct oracle_wrong {
	uint64_t pc;
	uint64_t end_pc;
	int end;
	char kind;
};

extern struct oracle_wrong oracle_wrong[ORACLE_WRONG_MAX];
extern unsigned oracle_wrong_count;

/* Prepare the calling thread, the only one that will be stepped; 0 or -errno. */
int oracle_start(void);

/* Run function(argument) under the trap flag, at most `limit` instructions of it; the counts
 * start at zero. */
void oracle_run(void (*function)(void *argument), void *argument, uint64_t limit);

/* Step from here on, for at most `limit` instructions; and stop. */
void oracle_begin(uint64_t limit);
void oracle_end(void);

/* Tell of a stack that the program will switch to, and of the function that runs on it first.
 * while stepping, but from the stepped code, too. */
void oracle_stack(void *low, size_t bytes, void (*first)(void));

/* Call each(address, argument) for every different instruction stepped since oracle_start, in no
 * order.  Not while stepping. */
void oracle_each_address(void (*each)(uint64_t address, void *argument), void *argument);

/* A line "NAME VALUE …" of the counts; one line for each of the first `most` that were not right.
 */
void oracle_print_counts(FILE *file);
void oracle_print_wrong(FILE *file, unsigned most);

/* Forget every rule before each walk: every frame of every instruction is asked for. */
extern bool oracle_cold;

/*
 * The shadow of the stack, from the calls and returns that were seen (oracle_shadow.c).  Each stack
 * that the program switches between has one of its own.
 */
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

/*
 * Breadth (oracle_skip.c): a call that has shown nothing new for a while runs at full speed up to a
 * breakpoint at its return address, where stepping goes on.  Stepped code is still judged by the
 * calls that were really made.
 */
/* What a trap was.  The context has been changed as it needs to be, but for STEP. */
enum oracle_skip_trap {
	ORACLE_SKIP_STEP,    /* none of ours, or the call is over: judge it */
	ORACLE_SKIP_GO_ON,   /* the call goes on at full speed */
	ORACLE_SKIP_FOREIGN, /* another process: the breakpoint is gone, and so is stepping */
};

/* Callees are to be skipped; before stepping begins.  Returns 0 or -ENOMEM. */
int oracle_skip_start(void);

/* First thing in every trap. */
enum oracle_skip_trap oracle_skip_trap(ucontext_t *context);

/* At a callee's first instruction: true if it is to run without the trap flag, to `target`, the
 * return address in `slot`. */
bool oracle_skip_enter(uint64_t callee, uint64_t target, uint64_t slot);

/* A stepped call came back to its return address, and had met new instructions or not. */
void oracle_skip_returned(uint64_t callee, bool news);

/* This callee asked for something that only stepping can give it: it is never skipped. */
void oracle_skip_never(uint64_t callee);

#ifdef __cplusplus
}
#endif

#endif
