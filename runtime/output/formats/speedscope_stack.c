/*
 * Of a deep stack the outermost half and the innermost half are written, and one frame between.
 */
#include "runtime/output/formats/speedscope_stack.h"

#include "runtime/output/formats/timed.h"

static void write_some(const uint32_t *path, size_t count, FILE *file)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			putc_unlocked(',', file);
		timed_write_number(file, path[i]);
	}
}

void speedscope_stack_write(const uint32_t *path, size_t depth, uint32_t left_out, FILE *file)
{
	const size_t outer = SPEEDSCOPE_STACK_MAX / 2, inner = SPEEDSCOPE_STACK_MAX - outer - 1;

	putc_unlocked('[', file);
	if (depth > SPEEDSCOPE_STACK_MAX) {
		write_some(path, outer, file);
		putc_unlocked(',', file);
		write_some(&left_out, 1, file);
		putc_unlocked(',', file);
		write_some(path + depth - inner, inner, file);
	} else {
		write_some(path, depth, file);
	}
	putc_unlocked(']', file);
}
