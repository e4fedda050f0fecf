/*
 * Descriptions that libunwind may be shown.  It believes what it reads: a jump backwards in an
 * expression makes it run for ever, a register number or a division makes it fault, an operation
 * it does not know makes it take operands for operations.  So each function's description is
 * read through once before it, and is refused if it holds anything but what compilers write and
 * libunwind 1.6 reads right: a frame without a description, counted, instead of a dead process.
 * The encodings are those of the Linux Standard Base (.eh_frame) and of DWARF 4, 6.4 and 2.5.
 */
#ifndef RUNTIME_SAMPLE_RULES_CFI_VERIFY_H
#define RUNTIME_SAMPLE_RULES_CFI_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/rules/unwind_module.h"

/* Longer than any description in a distribution's libraries and compilers (20 KB), in bytes. */
#define CFI_VERIFY_MAX 65536

/* Addresses of one function that are described alike. */
struct cfi_row {
	uint64_t low;
	uint64_t high; /* one past the last; low == high: none but what was looked up */
};

/* True if the description behind a row of the module's table is harmless; `registers` is how many
 * libunwind has room for.  *row is what around `address` has the same rule, entry->end the end of
 * the function or 0: not known.  Context: signal, holding unwind_lock. */
bool cfi_verify_entry(struct unwind_module *module, struct unwind_entry *entry, uint64_t address,
		      unsigned registers, struct cfi_row *row);

#endif
