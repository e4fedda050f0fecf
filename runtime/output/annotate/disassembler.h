/* Instructions as text, by capstone, which is loaded at the first use. */
#ifndef RUNTIME_OUTPUT_ANNOTATE_DISASSEMBLER_H
#define RUNTIME_OUTPUT_ANNOTATE_DISASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembler;

struct instruction {
	uint32_t bytes;
	char mnemonic[32];
	char operands[160]; /* empty: none */
};

/* Open a disassembler for code of that e_machine (elf.h).  `intel`: Intel's syntax for x86, not
 * AT&T's.  Returns 0 with *result, to be closed with disassembler_close(); -ELIBACC without a
 * capstone of a known version; -ENOTSUP for other machines than x86-64 and aarch64; or -ENOMEM. */
int disassembler_open(uint16_t machine, bool intel, struct disassembler **result);
void disassembler_close(struct disassembler *disassembler);

/* Decode one instruction at `address` from `count` bytes, at least 1.  Bytes that are no
 * instruction become one of `.byte` or `.inst`. */
void disassembler_next(struct disassembler *disassembler, const uint8_t *code, size_t count,
		       uint64_t address, struct instruction *instruction);

/* Returns true, with the address that a jump or call goes to, if its operands name one. */
bool disassembler_target(const struct disassembler *disassembler,
			 const struct instruction *instruction, uint64_t *target);

#endif
