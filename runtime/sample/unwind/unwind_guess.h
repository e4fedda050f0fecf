/*
 * The last resort for code that libunwind knows nothing about.  The caller is found by the call
 * that led here (callsite.h) or by the frame pointer, and is marked as a guess.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_GUESS_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_GUESS_H

#include <stdbool.h>

#include "runtime/sample/unwind/unwind_state.h"

/* Go from walk's frame to its caller. in_module: the code belongs to a loaded object and was not
 * compiled at run time.  Returns false after ending the walk.  Context: signal. */
bool unwind_guess(struct unwind_walk *walk, bool in_module);

#endif
