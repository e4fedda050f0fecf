/*
 * Checks descriptions before libunwind sees them. libunwind trusts its input.  A backward jump in
 * an expression makes it loop forever, a bad register number or a division makes it fault, and an
 * unknown operation makes it misread operands as operations.  So each function's description is
 * read through once before libunwind reads it.  It is refused if it holds anything but what
 * compilers write and libunwind 1.6 reads correctly.  The result is a frame without a description,
 * which is counted, instead of a dead process.  The encodings are those of the Linux Standard Base
 * (.eh_frame) and of DWARF 4, 6.4 and 2.5.
 */
#ifndef RUNTIME_SAMPLE_CFI_CFI_VERIFY_H
#define RUNTIME_SAMPLE_CFI_CFI_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_module.h"

/* Longer than any description in a distribution's libraries and compilers (20 KB), in bytes. */
#define CFI_VERIFY_MAX 65536

/* True if the description behind a row of the module's table is harmless.  `registers` is the
 * number of registers that libunwind has room for.  *row is the range around `address` with the
 * same rule. entry->end is the end of the function, or 0 if it is unknown.  Context: signal,
 * holding unwind_lock. */
bool cfi_verify_entry(struct unwind_module *module, struct unwind_entry *entry, uint64_t address,
		      unsigned registers, struct cfi_row *row);

/*
 * Reads the description of a function (.eh_frame) in one direction and never past its end, so
 * reading ends.  A description that cannot be read, or that no compiler writes, is refused; the
 * rest of it then reads as zeros.
 */

#define CFI_READER_WINDOW 64

struct cfi_reader {
	struct unwind_module *module;
	uint64_t at;
	uint64_t end;
	uint8_t window[CFI_READER_WINDOW]; /* the bytes that were read ahead, and their address */
	uint64_t window_at;
	uint64_t window_end;
	unsigned registers; /* greater than any register's number */
	unsigned pointer;   /* format of code addresses */
	bool computes;	    /* an expression was found */
	bool refused;
};

/* Refuses the description: nothing more is read.  Context: signal, holding unwind_lock; likewise
 * the others. */
void cfi_reader_refuse(struct cfi_reader *in);

void cfi_reader_skip(struct cfi_reader *in, uint64_t bytes);

/* A little-endian number of up to 8 bytes; a LEB128. */
uint64_t cfi_reader_number(struct cfi_reader *in, unsigned bytes);
uint64_t cfi_reader_leb(struct cfi_reader *in);

/* An address in one of the encodings of .eh_frame (DW_EH_PE_*). */
void cfi_reader_pointer(struct cfi_reader *in, unsigned encoding);

/* Operands: a digit is that many bytes, u a LEB128, r a register's number, p a code address,
 * b a block that holds an expression.  NULL: refused. */
void cfi_reader_operands(struct cfi_reader *in, const char *kinds);

#endif
