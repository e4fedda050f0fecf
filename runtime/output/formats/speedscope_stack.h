/*
 * One stack of a speedscope file.  speedscope draws a stack by functions that call themselves for
 * each frame; beyond some 3,500 frames the browser refuses that ("Maximum call stack size
 * exceeded") and nothing is shown.  So of a deeper stack the middle is left out, with a frame that
 * says so.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_SPEEDSCOPE_STACK_H
#define RUNTIME_OUTPUT_FORMATS_SPEEDSCOPE_STACK_H

#include <stddef.h>
#include <stdint.h>

struct json;

#define SPEEDSCOPE_STACK_MAX	  3000u /* frames, with the one that stands for others */
#define SPEEDSCOPE_STACK_LEFT_OUT "[frames left out]"

/* Write the indices of the `depth` frames in `path`, outermost first.  `left_out` is the index of
 * the frame that stands for others; it is used only if the stack is deeper than
 * SPEEDSCOPE_STACK_MAX. */
void speedscope_stack_write(const uint32_t *path, size_t depth, uint32_t left_out,
			    struct json *json);

#endif
