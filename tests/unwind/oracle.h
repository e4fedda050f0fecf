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

#ifdef __cplusplus
extern "C" {
#endif

#define ORACLE_WRONG_MAX  4096
#define ORACLE_STACKS_MAX 8

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

#ifdef __cplusplus
}
#endif

#endif
