/*
 * The shapes of frames that occur on this machine (rule_shape_x86_64.c, rule_shape_aarch64.c):
 * turns libunwind's answer into a rule, and recognises code that has no unwind information.
 */
#ifndef RUNTIME_SAMPLE_CFI_RULE_SHAPE_H
#define RUNTIME_SAMPLE_CFI_RULE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/cfi/rule_question.h"

/* libunwind's number of the program counter, which on aarch64 is not UNW_REG_IP. */
extern const int rule_shape_pc;

/* How many registers libunwind keeps for a frame, DWARF's numbers from 0. */
extern const unsigned rule_shape_registers;

/* Converts the answer to a question, after a step, into a rule.  Context: signal; likewise the
 * others, holding unwind_lock. */
uint64_t rule_shape_decode(struct rule_question *question);

/* Returns what a rule becomes that one entry gives to a large piece of code as a whole, beginning
 * and end included.  Such code is written by hand, an interpreter for instance, and its entry often
 * describes only the middle. */
uint64_t rule_shape_doubt(uint64_t rule);

/* Returns the rule of code that is recognised by its instructions, or RULE_MISSING. */
uint64_t rule_shape_recognise(struct rule_question *question);

/* True if there are only instructions without effect from question->address up to `end`. */
bool rule_shape_is_padding(struct rule_question *question, uint64_t end);

#endif
