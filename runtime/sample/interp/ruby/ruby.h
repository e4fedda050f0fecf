/*
 * What the files of the Ruby runtime share: the control frames and the tags of the execution
 * context of one thread or fiber, where Ruby keeps things, and what a function is to the spool.
 *
 * The frames lie in the context's VM stack, the newest at the lowest address.  A frame's
 * environment pointer leads to a word of flags.  A frame with the flag FINISH is the first that one
 * activation of vm_exec() runs.  vm_exec() keeps a tag, for jumps out of its callees, in its native
 * frame.
 */
#ifndef RUNTIME_SAMPLE_INTERP_RUBY_RUBY_H
#define RUNTIME_SAMPLE_INTERP_RUBY_RUBY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp.h"

#define RUBY_FRAMES_WINDOW 8 /* frames of one read; INTERP_READ_MAX has room for them */

struct ruby_frame {
	uint64_t pc, iseq;
	uint64_t environment; /* its last word, the flags */
	uint64_t flags;
	bool is_native;	 /* it has no function of the program: a method in C, or a place holder */
	bool begins_run; /* the oldest frame of one activation of vm_exec() */
};

struct ruby_frames {
	const struct ruby_layout *layout;
	struct interp_reader *reader;
	uint64_t newest, end;
	uint32_t count;
	uint64_t tag;	       /* the innermost, 0: none */
	uint32_t window, held; /* the first frame in `read`, and their number */
	struct ruby_frame read[RUBY_FRAMES_WINDOW];
};

/* What a build jumps with: the compiler's setjmp, or libc's, which hides addresses. */
enum ruby_jumps { RUBY_JUMPS_COMPILER, RUBY_JUMPS_LIBC, RUBY_JUMPS_KINDS };

/* One place that jumps arrive at, in the native frame of the function that made it. */
struct ruby_tag {
	uint64_t address;
	uint64_t arrival; /* address of code, as it is stored */
	uint64_t outer;	  /* 0: none */
};

/* Read the context that the variable at `variable` points to.  False: there is none, or it is not
 * the thread's own.
 * Context: signal; likewise the others. */
bool ruby_frames_open(const struct ruby_layout *layout, struct interp_reader *reader,
		      uint64_t variable, struct ruby_frames *frames);

/* Get a frame; number 0 is the newest, and numbers rise from call to call.  False: it cannot be
 * read, or is none. */
bool ruby_frames_get(struct ruby_frames *frames, uint32_t number, struct ruby_frame *frame);

/* Get a tag.  False: it cannot be read, or the next outer one is not further out. */
bool ruby_tag_get(struct interp_reader *reader, enum ruby_jumps jumps, uint64_t address,
		  struct ruby_tag *tag);

/* Where Ruby keeps things, which depends on its version; and loads of what was found there. */

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

/*
 * What only the processor's own code tells: the thread's variable that points to its execution
 * context, and the addresses that setjmp(3) hides.
 */

/* Where each thread has its pointer to its execution context. */
struct ruby_variable {
	uint64_t module; /* the loader's number of the object, 0: `offset` is from thread pointer */
	uint64_t offset; /* in the thread's block of that object */
};

/* Find what is needed of libc.  Context: init. */
void ruby_variable_start(void);

/* Learn the variable from the instructions of rb_current_receiver(), which begins by reading it.
 * False: they are not as expected.  Context: any. */
bool ruby_variable_decode(uint64_t function, struct ruby_variable *variable);

/* Returns the address of the calling thread's variable, 0 if it has none yet.
 * Context: signal. */
uint64_t ruby_variable_address(const struct ruby_variable *variable, struct interp_reader *reader);

/* Where libc's setjmp puts the address in its buffer, in bytes.  It is hidden there. */
extern const uint16_t ruby_variable_jump_at;

/* Returns the address that libc's setjmp hid in that word; 0: not known.  Context: signal. */
uint64_t ruby_variable_jump(uint64_t word);

/* From a control frame to a function of the spool. */

#define RUBY_CODE_KNOWN 8

/* Functions that a walk has met, found by their addresses.  All zeroes: none. */
struct ruby_code_walk {
	struct ruby_code_known {
		uint64_t iseq, code;
		uint32_t count, number;
	} known[RUBY_CODE_KNOWN];
};

/* Get the pc of a control frame for the spool: its function, and the instruction that it is at.
 * False: this is no function, or it cannot be read.  Context: signal. */
bool ruby_code_pc(const struct ruby_frames *frames, const struct ruby_frame *frame,
		  struct ruby_code_walk *walk, uint64_t *pc);

/* Returns the first word of the instructions of a function, 0 if it cannot be read.  Ruby writes
 * the address of an instruction's implementation there.  Context: signal. */
uint64_t ruby_code_first(struct interp_reader *reader, uint64_t iseq);

/* In the child of a fork.  Context: fork child. */
void ruby_code_forget(void);

/* ruby_class.c: where the loaded Ruby keeps its class Object.  Context: any, before the other
 * function. */
void ruby_class_start(uint64_t object_variable);

/* Put the class of the method that runs in an environment before the method's name: "Set#", or
 * "Set." for a method of the class itself.  `iseq` is the method's function.  Returns the number of
 * bytes; 0: it belongs to no class with a name, or to Object, as all methods that are defined
 * outside classes; -1: the memory cannot be read.  Context: signal. */
long ruby_class_name(const struct ruby_layout *layout, uint64_t environment, uint64_t iseq,
		     char *into, size_t max);

/* ruby_lines.c: put the lines of a function's instructions into the form of SPOOL_LINES_LNOTAB.
 * `table` is struct iseq_insn_info; `count` is the number of words of instructions.  Returns the
 * bytes that were used of `max`; 0: there are no lines, or they need more.  Context: signal. */
size_t ruby_lines_make(const unsigned char *table, uint32_t count, uint32_t first_line,
		       unsigned char *into, size_t max);

#endif
