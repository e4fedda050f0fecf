/* Where Ruby keeps things, which depends on its version; and loads of what was found there. */
#ifndef RUNTIME_SAMPLE_INTERP_RUBY_RUBY_LAYOUT_H
#define RUNTIME_SAMPLE_INTERP_RUBY_RUBY_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/elf/memory.h"

/* What differs between versions; in bytes. */
struct ruby_layout {
	uint32_t major, minor;
	uint16_t frame;		 /* size of a control frame */
	uint16_t thread_ec;	 /* in a thread: its current execution context */
	uint16_t lines;		 /* in a function's body: its table of lines */
	uint16_t short_text;	 /* in a string: the bytes of a short one */
	uint16_t method;	 /* in a function's body: the function of its method */
	uint16_t class_name;	 /* in a class; 0: it is an instance variable */
	uint16_t class_attached; /* likewise the object that a singleton class is for */
	bool boxed_line;	 /* the first line is a Ruby integer, not an int */
	bool length_in_flags;	 /* of a short string, and not in the word that long ones have */
};

/* Returns the layout of a version, NULL if it is not known.  Context: any. */
const struct ruby_layout *ruby_layout_find(uint32_t major, uint32_t minor);

/* An object's flags. */
#define RUBY_TYPE_MASK	 0x1fU
#define RUBY_TYPE_CLASS	 0x02U
#define RUBY_TYPE_MODULE 0x03U
#define RUBY_TYPE_STRING 0x05U
#define RUBY_TYPE_ARRAY	 0x07U
#define RUBY_TYPE_INNER	 0x1aU /* Ruby's own objects, of several kinds */
#define RUBY_INNER_SVAR	 2U
#define RUBY_INNER_ENTRY 6U
#define RUBY_INNER_ISEQ	 7U

static inline unsigned ruby_inner_kind(uint64_t flags)
{
	return flags >> 12 & 0xf;
}

/* Find the bytes of a string; `object` has the first 32 bytes of it.  False: it is none, or is
 * longer than any name.  Context: any. */
bool ruby_layout_text(const struct ruby_layout *layout, const void *object, uint64_t string,
		      uint64_t *address, uint32_t *bytes);

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
