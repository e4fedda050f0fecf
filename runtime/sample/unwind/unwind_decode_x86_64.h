/*
 * x86-64 instructions, as far as the way to a function's return needs them: how long each is, and
 * its operation and operands where they are the stack's (Intel SDM, volume 2, chapter 2 and
 * appendix A).
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_DECODE_X86_64_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_DECODE_X86_64_H

#include <stdbool.h>
#include <stdint.h>

#define UNWIND_INSTRUCTION_MAX 15

struct unwind_instruction {
	unsigned bytes;
	unsigned map; /* 0: one byte of operation, 1: behind 0f; 2: any other */
	uint8_t operation;
	uint8_t rex;	/* its bits; 0 without */
	uint8_t modrm;	/* 0 without */
	uint8_t sib;	/* 0 without */
	bool narrow;	/* operands of 16 bits */
	int64_t offset; /* of the memory operand */
	int64_t value;	/* immediate, or distance of a jump; 64 bits wide ones are not read */
};

/* The instruction that `bytes` of code, at most 15, begin with.  False: it does not end within
 * them, or there is no such instruction.  Context: any. */
bool unwind_decode(const uint8_t *code, unsigned bytes, struct unwind_instruction *found);

#endif
