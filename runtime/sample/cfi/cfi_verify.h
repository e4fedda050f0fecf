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

#endif
