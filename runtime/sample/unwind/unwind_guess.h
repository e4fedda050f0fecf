/*
 * The last resort, marked, for code that libunwind knows nothing of: the caller by the call that
 * led here (callsite_scan.h) or by the frame pointer (unwind_frame.h).
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_GUESS_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_GUESS_H

#include <stdbool.h>

#include "runtime/sample/unwind/unwind_state.h"

/* Go from walk's frame to its caller.  in_module: the code is of a loaded object, not of a run-time
 * compiler.  False after ending the walk.  Context: signal. */
bool unwind_guess(struct unwind_walk *walk, bool in_module);

#endif
