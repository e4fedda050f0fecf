/*
 * One frame's unwind rule in a word, so that a table entry is two words and a walk needs no
 * more than one load per frame to know what to do.  Registers are numbered as DWARF does.
 *
 *   bits  0 …  5  enum rule_type
 *   bits  6 … 31  offset, signed, in bytes: what it is added to depends on the type
 *   bits 32 … 47  slot of the frame pointer, signed, in words of 8 bytes from the CFA
 *   bits 48 … 63  slot of the other tracked register (x86-64: rbx; aarch64: x30), likewise
 */
#ifndef RUNTIME_SAMPLE_CFI_RULE_H
#define RUNTIME_SAMPLE_CFI_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum rule_type {
	RULE_MISSING = 0, /* not a rule: the table has no entry */
	RULE_BASE = 1,	  /* + register number 0 … 31: CFA = register + offset */
	RULE_LAST = 33,	  /* outermost frame */
	RULE_SIGNAL = 34, /* return trampoline of a signal handler: registers are in memory */
	RULE_DRAP = 35,	  /* CFA = word at frame pointer + offset; slots count from the frame
			     pointer (gcc, functions that realign their stack) */
	RULE_LOAD = 36,	  /* CFA = word at stack pointer + offset, plus the second slot in words
			     (OpenSSL's assembly) */
	RULE_SLOW = 37,	  /* known to libunwind, not to be said in a word */
	RULE_ABSENT = 38, /* code without unwind information */
	RULE_EDGE = 40,	  /* leaf at either end of a RULE_DRAP function: CFA = register (the second
			     slot is its number) + offset; the frame pointer is described as saved
			     at itself, which gcc goes on saying after it was restored */
	RULE_ENTRY = 41,  /* leaf in the padding before a function, on its way into it: what its
			     first  instruction would have (glibc's __memmove_chk falls through) */
	RULE_FABRICATED = 39, /* none either, but the next byte begins a function: as a caller it
				 is a return address that nobody's call made (makecontext) */
	RULE_DOUBTED = 45,    /* as RULE_BASE of the stack pointer, if the code does not
				 contradict (rule_question.h) */
};

/* Not a frame's rule: the destination of the call before an address (callsite.h), by another key.
 */
#define RULE_CALL 42
/* Not a frame's rule: there is code in memory outside of loaded objects (callsite.h). */
#define RULE_CODE 43
/* Not a frame's rule: the distance of the return address of code without unwind information
 * (unwind_return_x86_64.h). */
#define RULE_RETURN 44

#define RULE_SLOT_SAME (-32768) /* not saved by this frame: keeps its value */
#define RULE_SLOT_LOST (-32767) /* saved in a way that a slot cannot express */
#define RULE_SLOT_MAX  32767
#define RULE_SLOT_MIN  (-32766)

#define RULE_OFFSET_MAX ((1 << 25) - 1)
#define RULE_OFFSET_MIN (-(1 << 25))

static inline uint64_t rule_make(unsigned type, int64_t offset, int64_t frame, int64_t other)
{
	return (uint64_t)type | ((uint64_t)offset & 0x3ffffff) << 6 |
	       ((uint64_t)frame & 0xffff) << 32 | ((uint64_t)other & 0xffff) << 48;
}

static inline uint64_t rule_make_call(uint64_t callee)
{
	return RULE_CALL | callee << 6;
}

static inline uint64_t rule_callee(uint64_t rule)
{
	return rule >> 6;
}

static inline unsigned rule_type(uint64_t rule)
{
	return (unsigned)rule & 63;
}

static inline int64_t rule_offset(uint64_t rule)
{
	return (int32_t)(uint32_t)rule >> 6;
}

static inline int64_t rule_frame(uint64_t rule)
{
	return (int16_t)(uint16_t)(rule >> 32);
}

static inline int64_t rule_other(uint64_t rule)
{
	return (int64_t)rule >> 48;
}

/* True if a byte offset can be expressed as a slot.  Context: any. */
static inline bool rule_slot_fits(int64_t bytes)
{
	return !(bytes & 7) && bytes / 8 >= RULE_SLOT_MIN && bytes / 8 <= RULE_SLOT_MAX;
}

static inline bool rule_offset_fits(int64_t bytes)
{
	return bytes >= RULE_OFFSET_MIN && bytes <= RULE_OFFSET_MAX;
}

#endif
