/* The lines of a function's instructions. */
#ifndef RUNTIME_SAMPLE_INTERP_RUBY_RUBY_LINES_H
#define RUNTIME_SAMPLE_INTERP_RUBY_RUBY_LINES_H

#include <stddef.h>
#include <stdint.h>

/* Put the lines of a function's instructions into the form of SPOOL_LINES_LNOTAB.  `table` is
 * struct iseq_insn_info; `count` is the number of words of instructions.  Returns the bytes that
 * were used of `max`; 0: there are no lines, or they need more.  Context: signal. */
size_t ruby_lines_make(const unsigned char *table, uint32_t count, uint32_t first_line,
		       unsigned char *into, size_t max);

#endif
