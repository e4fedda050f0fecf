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

/* The made-up value of a register.  Context: any. */
uint64_t rule_question_register(unsigned number);

/* The made-up word at a made-up address: the same address gives the same word however often it is
 * read.  False: no room for one more.  Context: signal, holding unwind_lock. */
bool rule_question_read(struct rule_question *question, uint64_t address, uint64_t *value);

/* Finds the origin of the register's value in the caller's frame.  False: it has none.  Context:
 * signal, after a step. */
bool rule_question_value(struct rule_question *question, int number, struct rule_value *value);

/* Finds the origin of a made-up value.  Context: any. */
struct rule_value rule_question_sort(uint64_t value);

#endif
