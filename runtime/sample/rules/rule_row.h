/*
 * Rows: addresses of one function that share a rule, as cfi_verify.h tells them.  A program's
 * samples meet ever new addresses of the same code, so what was asked for one of them answers for
 * its neighbours, without libunwind and without reading anything.
 */
#ifndef RUNTIME_SAMPLE_RULES_RULE_ROW_H
#define RUNTIME_SAMPLE_RULES_RULE_ROW_H

#include <stdint.h>

#include "runtime/sample/rules/cfi_verify.h"

#define RULE_ROW_BYTES (128UL << 10) /* that rows take */

/* The rule of the row that address lies in, as far as rows of this generation of rules are kept;
 * else RULE_MISSING.  Context: signal, holding unwind_lock; likewise the next. */
uint64_t rule_row_find(uint64_t address, uint64_t generation);

/* Keep the rule of the row that address lies in. */
void rule_row_put(uint64_t address, uint64_t generation, const struct cfi_row *row, uint64_t rule);

/* Keep no row, and touch the room for rows, so that no page fault comes in a handler.  Context:
 * init. */
void rule_row_start(void);

#endif
