/*
 * Asking libunwind what a frame's rule is (rule_question.h), or for its own steps.
 */
#ifndef RUNTIME_SAMPLE_RULES_RULE_ASK_H
#define RUNTIME_SAMPLE_RULES_RULE_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/rules/cfi_verify.h"
#include "runtime/sample/rules/unwind_library.h"

struct unwind_range;

/* Prepare libunwind, which unwind_library_open has opened.  Returns 0 or -ENOMEM.
 * Context: init. */
int rule_ask_start(void);

/* The rule for an address, or RULE_MISSING if it could not be asked for now.  *row: what else has
 * it.  *passing: memory that should be there could not be read, so that the rule is of this moment
 * only.  Context: signal, holding unwind_lock. */
uint64_t rule_ask(uint64_t address, struct cfi_row *row, bool *passing);

/* Take `steps` steps from real registers (numbered as libunwind's; UNW_REG_LAST + 1 of them)
 * and leave the result in them.  Reads the stack within range alone.  True: there is a frame;
 * false: libunwind could not, or it is the outermost.  Context: signal, holding unwind_lock. */
bool rule_ask_real(uint64_t *registers, unsigned steps, struct unwind_range *range);

#endif
