/*
 * What only the processor's own code tells: the thread's variable that points to its execution
 * context, and the addresses that setjmp(3) hides.
 */
#ifndef RUNTIME_SAMPLE_INTERP_RUBY_RUBY_VARIABLE_H
#define RUNTIME_SAMPLE_INTERP_RUBY_RUBY_VARIABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/interp/interp_read.h"

/* Where each thread has its pointer to its execution context. */
struct ruby_variable {
	uint64_t module; /* the loader's number of the object, 0: `offset` is from thread pointer */
	uint64_t offset; /* in the thread's block of that object */
};

/* Find what is needed of libc.  Context: init. */
void ruby_variable_start(void);

/* Learn the variable from the instructions of rb_current_receiver(), which begins by reading it.
 * False: they are not as expected.  Context: any. */
bool ruby_variable_decode(uint64_t function, struct ruby_variable *variable);

/* Returns the address of the calling thread's variable, 0 if it has none yet.
 * Context: signal. */
uint64_t ruby_variable_address(const struct ruby_variable *variable, struct interp_reader *reader);

/* Where libc's setjmp puts the address in its buffer, in bytes.  It is hidden there. */
extern const uint16_t ruby_variable_jump_at;

/* Returns the address that libc's setjmp hid in that word; 0: not known.  Context: signal. */
uint64_t ruby_variable_jump(uint64_t word);

#endif
