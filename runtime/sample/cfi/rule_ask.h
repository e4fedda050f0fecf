/* Asks libunwind for a frame's rule (rule_question.h), or for its own steps. */
#ifndef RUNTIME_SAMPLE_CFI_RULE_ASK_H
#define RUNTIME_SAMPLE_CFI_RULE_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/cfi/cfi_verify.h"
#include "runtime/sample/cfi/unwind_library.h"

struct unwind_range;

/* Prepare libunwind, which unwind_library_open has opened.  Returns 0 or -ENOMEM.
 * Context: init. */
int rule_ask_start(void);

/* Returns the rule for an address, or RULE_MISSING if it cannot be asked for now.  *row is the
 * range that shares it.  *passing: some memory could not be read, so the rule holds for this moment
 * only.  Context: signal, holding unwind_lock. */
uint64_t rule_ask(uint64_t address, struct cfi_row *row, bool *passing);

/* Take `steps` steps from real registers (numbered as libunwind's; UNW_REG_LAST + 1 of them) and
 * leave the result in them.  The stack is read within range only.  True: there is a frame; false:
 * libunwind failed, or this is the outermost frame.  Context: signal, holding unwind_lock. */
bool rule_ask_real(uint64_t *registers, unsigned steps, struct unwind_range *range);

#endif
