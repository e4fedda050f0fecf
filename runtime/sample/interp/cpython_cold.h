/*
 * The part of the interpreter's loop that the compiler put elsewhere because it is seldom executed.
 * No symbol tells where, but the loop jumps there and back.
 */
#ifndef RUNTIME_SAMPLE_INTERP_CPYTHON_COLD_H
#define RUNTIME_SAMPLE_INTERP_CPYTHON_COLD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/interp/cpython.h"

#define CPYTHON_JUMP_BYTES 6 /* of the longest jump */

/* Decode a jump to an address in the code, which calls nothing.  `code` has CPYTHON_JUMP_BYTES
 * bytes.  On a machine whose instructions differ in length, bytes within one may look like a jump.
 * Context: any. */
bool cpython_jump_decode(const uint8_t *code, uint64_t address, uint64_t *target);

/* The distance of two instructions, or of what may be one.  Context: any. */
unsigned cpython_jump_step(void);

/* Find the part of python->eval that lies elsewhere in the object; an empty range: there is none,
 * or it cannot be told.  Context: init, signal. */
struct cpython_range cpython_cold_find(const struct cpython *python);

#endif
