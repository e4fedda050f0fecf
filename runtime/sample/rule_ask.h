/*
 * Asking libunwind.  One step of its cursor over made-up registers and memory tells a frame's
 * rule: what the step reads and where its results point is the rule.  Only the unwind
 * information is real.
 *
 * Made-up values are addresses that no process can have (bit 63 set, bits 56 to 62 not all
 * alike): one region per register, one per word of memory that was read.  A value's region says
 * where it came from, its place in the region by how much it was moved.
 */
#ifndef RUNTIME_SAMPLE_RULE_ASK_H
#define RUNTIME_SAMPLE_RULE_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/unwind_library.h"
#include "runtime/sample/unwind_module.h"
#include "runtime/sample/unwind_verify.h"

struct unwind_range;

#define RULE_ASK_WORDS 24

/* Where a value comes from. */
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

/* One question, and what is known of its answer; on the stack of who asks. */
struct rule_question {
	uint64_t address;
	struct unwind_module *module;
	struct unwind_entry entry;
	struct unwind_row row;	    /* what has the same rule as address */
	bool unknown;		    /* there is no unwind information for address */
	bool strange;		    /* it reads memory in a way that made-up values cannot follow */
	const uint64_t *registers;  /* real ones, or NULL: made up */
	struct unwind_range *range; /* of the real stack */
	unsigned reads;		    /* that libunwind asked for */
	unsigned words;
	uint64_t word[RULE_ASK_WORDS]; /* made-up addresses that were read */
	unw_cursor_t cursor;
};

/* Prepare libunwind, which unwind_library_open has opened.  Returns 0 or -ENOMEM.
 * Context: init. */
int rule_ask_start(void);

/* The rule for an address, or RULE_MISSING if it could not be asked for now.  *row: what else has
 * it.  *passing: memory that should be there could not be read, so that the rule is of this moment
 * only.  Context: signal, holding the gate. */
uint64_t rule_ask(uint64_t address, struct unwind_row *row, bool *passing);

/* Take `steps` steps from real registers (numbered as libunwind's; UNW_REG_LAST + 1 of them)
 * and leave the result in them.  Reads the stack within range alone.  True: there is a frame;
 * false: libunwind could not, or it is the outermost.  Context: signal, holding the gate. */
bool rule_ask_real(uint64_t *registers, unsigned steps, struct unwind_range *range);

/* Where the register's value in the caller's frame comes from; false: it has none.
 * Context: signal, after a step. */
bool rule_ask_value(struct rule_question *question, int number, struct rule_value *value);

/* Sort a made-up value.  Context: any. */
struct rule_value rule_ask_sort(uint64_t value);

/* By machine (rule_x86_64.c, rule_aarch64.c).  libunwind's number of the program counter, which
 * on aarch64 is not UNW_REG_IP. */
extern const int rule_pc_number;

/* How many registers libunwind keeps for a frame, DWARF's numbers from 0. */
extern const unsigned rule_register_count;

/* Put an answer into a word; and tell code that
 * needs no unwind information to be understood, or return RULE_MISSING.  Context: signal. */
uint64_t rule_decode(struct rule_question *question);
uint64_t rule_recognise(struct rule_question *question);

/* By machine: true if there are only instructions without effect from question->address up to
 * `end`.  Context: signal. */
bool rule_is_padding(struct rule_question *question, uint64_t end);

#endif
