/*
 * Rows: ranges of addresses in one function that share a rule (cfi_verify.h).  A program's samples
 * always meet new addresses of the same code.  So the answer for one address also serves its
 * neighbours, without libunwind and without reading anything.
 */
#ifndef RUNTIME_SAMPLE_CFI_RULE_ROW_H
#define RUNTIME_SAMPLE_CFI_RULE_ROW_H

#include <stdint.h>

#include "runtime/sample/cfi/cfi_verify.h"

#define RULE_ROW_BYTES (128UL << 10) /* memory of all rows */

/* Returns the rule of the row that address lies in, if that row was kept in this generation of
 * rules; else RULE_MISSING.  Context: signal, holding unwind_lock; likewise the next. */
uint64_t rule_row_find(uint64_t address, uint64_t generation);

/* Keep the rule of the row that address lies in. */
void rule_row_put(uint64_t address, uint64_t generation, const struct cfi_row *row, uint64_t rule);

/* Keep no row, and touch the room for rows, so that no page fault comes in a handler.  Context:
 * init. */
void rule_row_start(void);

#endif
