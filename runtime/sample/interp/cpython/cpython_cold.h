/*
 * What no symbol of an interpreter tells, but its code does: the part of the loop that the compiler
 * put elsewhere because it is seldom executed, where the loop jumps to, and the function that
 * collects garbage, which PyGC_Collect() calls.
 */
#ifndef RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_COLD_H
#define RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_COLD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/interp/cpython/cpython.h"

#define CPYTHON_JUMP_BYTES 20 /* that are looked at to decode something */

/* Decode a jump to an address in the code, which calls nothing.  `code` has CPYTHON_JUMP_BYTES
 * bytes.  On a machine whose instructions differ in length, bytes within one may look like a jump.
 * Context: any. */
bool cpython_jump_decode(const uint8_t *code, uint64_t address, uint64_t *target);

/* Likewise, a call of a function of the same object.  Context: any. */
bool cpython_jump_decode_call(const uint8_t *code, uint64_t address, uint64_t *target);

/* Likewise, an instruction that loads the address of data.  Context: any. */
bool cpython_jump_decode_data(const uint8_t *code, uint64_t address, uint64_t *target);

/* The distance of two instructions, or of what may be one.  Context: any. */
unsigned cpython_jump_step(void);

/* Call `each` for every address outside a range of code, but in its object, that the code in it
 * leads to, as `decode` says, which is one of the above.  Context: init, signal. */
void cpython_jump_each(const struct cpython *python, struct cpython_range range,
		       bool (*decode)(const uint8_t *code, uint64_t address, uint64_t *target),
		       void (*each)(uint64_t target, void *context), void *context);

/* Find the function that collects garbage; an empty range: it cannot be told.  False: another
 * thread unwinds now; ask again.  Context: init, signal. */
bool cpython_collector_find(const struct cpython *python, struct cpython_range *collector);

/* Find the part of python->eval that lies elsewhere in the object; an empty range: there is none,
 * or it cannot be told.  False likewise.  Context: init, signal. */
bool cpython_cold_find(const struct cpython *python, struct cpython_range *cold);

#endif
