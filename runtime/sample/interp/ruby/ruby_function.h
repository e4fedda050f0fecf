/*
 * The extent of a native function of Ruby.
 */
#ifndef RUNTIME_SAMPLE_INTERP_RUBY_RUBY_FUNCTION_H
#define RUNTIME_SAMPLE_INTERP_RUBY_RUBY_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

/* Get the bounds of the function that an address lies in, from the table of the object's unwind
 * information.  False if there is none.  `start` is where the object begins.  Context: any. */
bool ruby_function_bounds(uint64_t start, uint64_t address, uint64_t *low, uint64_t *high);

#endif
