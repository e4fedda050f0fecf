/*
 * A question to libunwind.  One step of its cursor over made-up registers and memory tells a
 * frame's rule: what the step reads and where its results point is the rule.  Only the unwind
 * information is real.
 *
 * Made-up values are addresses that no process can have (bit 63 set, bits 56 to 62 not all
 * alike): one region per register, one per word of memory that was read.  A value's region says
 * where it came from, its place in the region by how much it was moved.
 */
#ifndef RUNTIME_SAMPLE_CFI_RULE_QUESTION_H
#define RUNTIME_SAMPLE_CFI_RULE_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/cfi/cfi_verify.h"
#include "runtime/sample/cfi/unwind_library.h"
#include "runtime/sample/cfi/unwind_module.h"

struct unwind_range;

#define RULE_QUESTION_WORDS 24

/* The origin of a value. */
enum rule_origin {
	RULE_FROM_REGISTER, /* register `index` of the frame, plus `delta` */
	RULE_FROM_MEMORY,   /* the word `index` of those that were read, plus `delta` */
	RULE_FROM_ELSEWHERE,
};

struct rule_value {
	enum rule_origin origin;
	unsigned index;
	int64_t delta;
};

/* One question, and what is known of its answer.  It lives on the asking function's stack. */
struct rule_question {
	uint64_t address;
	struct unwind_module *module;
	struct unwind_entry entry;
	struct cfi_row row;	    /* the range with the same rule as address */
	bool unknown;		    /* there is no unwind information for address */
	bool strange;		    /* memory was read in a way that made-up values cannot follow */
	const uint64_t *registers;  /* real registers; NULL: made-up ones */
	struct unwind_range *range; /* of the real stack */
	unsigned reads;		    /* reads that libunwind asked for */
	unsigned words;
	uint64_t word[RULE_QUESTION_WORDS]; /* made-up addresses that were read */
	unw_cursor_t cursor;
};

/* Finds the origin of the register's value in the caller's frame.  False: it has none.  Context:
 * signal, after a step. */
bool rule_question_value(struct rule_question *question, int number, struct rule_value *value);

/* Finds the origin of a made-up value.  Context: any. */
struct rule_value rule_question_sort(uint64_t value);

/* The shapes of frames that occur on this machine: rule_shape_x86_64.c, rule_shape_aarch64.c. */

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
