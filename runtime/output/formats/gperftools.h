/*
 * gperftools' CPU profile with its symbols in front, which gperftools' pprof reads without the
 * program.  It holds one counter, by name.
 *
 *   --- symbol             text: binary=PATH, then 0xNUMBER NAME for every frame's name
 *   ---
 *   --- profile            then 64-bit words: 0, 3, 0, microseconds per sample, 0;
 *   COUNT DEPTH PC…        for each stack, leaf first; 0, 1, 0 at the end
 *
 * The PC of a frame is the number of its name, because pprof would omit kernel addresses.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_GPERFTOOLS_H
#define RUNTIME_OUTPUT_FORMATS_GPERFTOOLS_H

#include <stdint.h>
#include <stdio.h>

struct frame_tree;

/* Write sorted stacks of the program with that path (empty: unknown); `period_us` is the time per
 * sample, or 0 if samples stand for no time.  Returns 0, -EIO or -ENOMEM. */
int gperftools_write(struct frame_tree *tree, const char *program, uint64_t period_us, FILE *file);

#endif
