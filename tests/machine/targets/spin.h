/*
 * Loops with a known number of instructions: two in each round, written in assembly so that the
 * compiler cannot change that.
 */
#ifndef TESTS_MACHINE_TARGETS_SPIN_H
#define TESTS_MACHINE_TARGETS_SPIN_H

#define SPIN_FUNCTION __attribute__((noinline, noclone))

/* What follows a call keeps it from being a jump, so that the caller stays on the stack. */
#define SPIN_STAY() __asm__ volatile("")

/* Execute `instructions` instructions, in rounds of two. */
static inline __attribute__((always_inline)) void spin(unsigned long instructions)
{
	unsigned long rounds = instructions / 2;

	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
}

#endif
