/* From a control frame to a function of the spool. */
#ifndef RUNTIME_SAMPLE_INTERP_RUBY_RUBY_CODE_H
#define RUNTIME_SAMPLE_INTERP_RUBY_RUBY_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/interp/interp_read.h"
#include "runtime/sample/interp/ruby/ruby_frames.h"

#define RUBY_CODE_KNOWN 8

/* Functions that a walk has met, found by their addresses.  All zeroes: none. */
struct ruby_code_walk {
	struct ruby_code_known {
		uint64_t iseq, code;
		uint32_t count, number;
	} known[RUBY_CODE_KNOWN];
};

/* Get the pc of a control frame for the spool: its function, and the instruction that it is at.
 * False: this is no function, or it cannot be read.  Context: signal. */
bool ruby_code_pc(const struct ruby_frames *frames, const struct ruby_frame *frame,
		  struct ruby_code_walk *walk, uint64_t *pc);

/* Returns the first word of the instructions of a function, 0 if it cannot be read.  Ruby writes
 * the address of an instruction's implementation there.  Context: signal. */
uint64_t ruby_code_first(struct interp_reader *reader, uint64_t iseq);

/* In the child of a fork.  Context: fork child. */
void ruby_code_forget(void);

#endif
