/*
 * Where Ruby keeps things, which depends on its version; and loads of what was found there.
 */
#ifndef RUNTIME_SAMPLE_INTERP_RUBY_LAYOUT_H
#define RUNTIME_SAMPLE_INTERP_RUBY_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/elf/memory.h"

/* What differs between versions; in bytes. */
struct ruby_layout {
	uint32_t major, minor;
	uint16_t frame;	      /* size of a control frame */
	uint16_t thread_ec;   /* in a thread: its current execution context */
	uint16_t running;     /* in a ractor: the thread that holds its lock */
	uint16_t lines;	      /* in a function's body: its table of lines */
	uint16_t short_text;  /* in a string: the bytes of a short one */
	bool boxed_line;      /* the first line is a Ruby integer, not an int */
	bool length_in_flags; /* of a short string, and not in the word that long ones have */
};

/* Returns the layout of a version, NULL if it is not known.  Context: any. */
const struct ruby_layout *ruby_layout_find(uint32_t major, uint32_t minor);

/* Returns a word of what a reader found.  Context: any. */
MEMORY_RAW static inline uint64_t ruby_word(const void *from, size_t at)
{
	return *(const volatile uint64_t *)((const char *)from + at);
}

MEMORY_RAW static inline unsigned char ruby_byte(const void *from, size_t at)
{
	return *(const volatile unsigned char *)((const char *)from + at);
}

MEMORY_RAW static inline uint32_t ruby_half(const void *from, size_t at)
{
	return *(const volatile uint32_t *)((const char *)from + at);
}

#endif
