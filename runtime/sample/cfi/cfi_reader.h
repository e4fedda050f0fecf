/*
 * Reads the description of a function (.eh_frame) in one direction and never past its end, so
 * reading ends.  A description that cannot be read, or that no compiler writes, is refused; the
 * rest of it then reads as zeros.
 */
#ifndef RUNTIME_SAMPLE_CFI_CFI_READER_H
#define RUNTIME_SAMPLE_CFI_CFI_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/cfi/unwind_module.h"

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
