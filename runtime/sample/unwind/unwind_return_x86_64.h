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

/*
 * Decodes x86-64 instructions as far as finding a function's return needs it: the length of each,
 * and, for those that change the stack, the operation and its operands (Intel SDM, volume 2,
 * chapter 2 and appendix A).
 */

#define UNWIND_INSTRUCTION_MAX 15

struct unwind_instruction {
	unsigned bytes;
	unsigned map; /* 0: one-byte opcode; 1: after 0f; 2: any other */
	uint8_t operation;
	uint8_t rex;	/* the prefix's bits; 0: no prefix */
	uint8_t modrm;	/* 0: absent */
	uint8_t sib;	/* 0: absent */
	bool narrow;	/* operands of 16 bits */
	int64_t offset; /* of the memory operand */
	int64_t value;	/* immediate, or distance of a jump; 64-bit immediates are not read */
};

/* Decodes the instruction at the start of `bytes` bytes of code, at most 15.  Returns false if the
 * instruction does not end within them or does not exist.  Context: any. */
bool unwind_decode(const uint8_t *code, unsigned bytes, struct unwind_instruction *found);

#endif
