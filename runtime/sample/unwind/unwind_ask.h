/*
 * Finds rules that the table lacks.  Each function that asks libunwind first checks that enough
 * stack is left under the handler, and holds unwind_lock only during the question.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_ASK_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind/unwind_state.h"

/* True if enough stack is left under the handler to find a rule.  Context: signal; likewise the
 * others. */
bool unwind_ask_has_room(const struct unwind_walk *walk);

/* Takes the lock if there is enough stack for a question.  Returns false after ending the walk. */
bool unwind_ask_may(struct unwind_walk *walk);

/* Returns the rule of walk->pc and keeps it in the table.  Returns RULE_MISSING after ending the
 * walk. */
uint64_t unwind_ask_rule(struct unwind_walk *walk);

/* Keeps a verdict in the table of rules, unless another thread is writing there. */
void unwind_ask_keep(const struct unwind_walk *walk, uint64_t key, uint64_t rule);

/* Returns the rule of another address of a loaded object.  If it cannot be found now, returns
 * RULE_MISSING, and the walk goes on. */
uint64_t unwind_ask_peek(struct unwind_walk *walk, uint64_t address);

/* Copies code, at most a block of unwind_memory.c.  That of loaded objects is read in blocks, which
 * are kept: a question about an address needs the same bytes several times.  False: it cannot be
 * read. */
bool unwind_ask_code(const struct unwind_walk *walk, void *to, uint64_t address, unsigned bytes);

#endif
