/*
 * The control frames and the tags of the execution context of one thread or fiber.
 *
 * The frames lie in the context's VM stack, the newest at the lowest address.  A frame's
 * environment pointer leads to a word of flags.  A frame with the flag FINISH is the first that one
 * activation of vm_exec() runs.  vm_exec() keeps a tag, for jumps out of its callees, in its native
 * frame.
 */
#ifndef RUNTIME_SAMPLE_INTERP_RUBY_RUBY_FRAMES_H
#define RUNTIME_SAMPLE_INTERP_RUBY_RUBY_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/interp/interp_read.h"
#include "runtime/sample/interp/ruby/ruby_layout.h"

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

#endif
