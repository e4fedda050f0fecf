/* The control frames of a context, and the activations of vm_exec() in the native stack. */
#include "runtime/sample/interp/ruby/ruby.h"

#include <setjmp.h>
#include <string.h>

#include "runtime/sample/sys/poison.h"

#define STACK_MAX	  (1u << 27) /* bytes of a VM stack */
#define FRAME_BYTES	  40	     /* that are read of a control frame */
#define FRAME_PC	  0
#define FRAME_ISEQ	  16
#define FRAME_ENVIRONMENT 32
#define FLAG_FINISH	  0x20
#define FLAG_NATIVE	  0x80
#define MAGIC_MASK	  0x7fff0001ULL
#define MAGIC_DUMMY	  0x79990001ULL
#define MAGIC_LOWEST	  0x11110001ULL

/* In a context. */
#define CONTEXT_BYTES  56
#define CONTEXT_STACK  0
#define CONTEXT_SIZE   8
#define CONTEXT_FRAME  16
#define CONTEXT_TAG    24
#define CONTEXT_THREAD 48

/* In a thread. */
#define THREAD_BYTES 64

/* In a tag, where the jump's buffer begins.  The next outer tag is behind it. */
#define TAG_BUFFER     16
#define BUFFER_WORDS   5 /* of the compiler's; the second is where it arrives */
#define BUFFER_ARRIVAL 8

/* The VM stack, whose upper end holds the frames. */
static bool read_stack(const void *context, struct ruby_frames *frames)
{
	uint64_t size = ruby_word(context, CONTEXT_SIZE) * 8;

	frames->end = ruby_word(context, CONTEXT_STACK) + size;
	frames->newest = ruby_word(context, CONTEXT_FRAME);
	frames->tag = ruby_word(context, CONTEXT_TAG);
	if (size > STACK_MAX || frames->end - frames->newest > size ||
	    (frames->end - frames->newest) % frames->layout->frame != 0)
		return false;
	frames->count = (uint32_t)((frames->end - frames->newest) / frames->layout->frame);
	return true;
}

bool ruby_frames_open(const struct ruby_layout *layout, struct interp_reader *reader,
		      uint64_t variable, struct ruby_frames *frames)
{
	const void *from;
	uint64_t context, thread;

	frames->layout = layout;
	frames->reader = reader;
	frames->held = 0;
	from = interp_read(reader, variable, 8);
	context = from ? ruby_word(from, 0) : 0;
	from = interp_read(reader, context, CONTEXT_BYTES);
	if (!from || !read_stack(from, frames))
		return false;
	thread = ruby_word(from, CONTEXT_THREAD);
	from = interp_read(reader, thread, THREAD_BYTES);
	return from && ruby_word(from, layout->thread_ec) == context;
}

/* Reads the frames from `number` on. */
static bool fill(struct ruby_frames *frames, uint32_t number)
{
	uint32_t left = frames->count - number;
	uint32_t count = left < RUBY_FRAMES_WINDOW ? left : RUBY_FRAMES_WINDOW;
	const void *from = interp_read(frames->reader,
				       frames->newest + (uint64_t)number * frames->layout->frame,
				       (count - 1) * (size_t)frames->layout->frame + FRAME_BYTES);

	if (!from)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		size_t at = i * (size_t)frames->layout->frame;

		frames->read[i] =
			(struct ruby_frame){ .pc = ruby_word(from, at + FRAME_PC),
					     .iseq = ruby_word(from, at + FRAME_ISEQ),
					     .environment =
						     ruby_word(from, at + FRAME_ENVIRONMENT) };
	}
	frames->window = number;
	frames->held = count;
	return true;
}

bool ruby_frames_get(struct ruby_frames *frames, uint32_t number, struct ruby_frame *frame)
{
	const void *word;

	if (number - frames->window >= frames->held && !fill(frames, number))
		return false;
	*frame = frames->read[number - frames->window];
	word = interp_read(frames->reader, frame->environment, 8);
	if (!word)
		return false;
	frame->flags = ruby_word(word, 0);
	frame->is_native = (frame->flags & FLAG_NATIVE) != 0;
	frame->begins_run = (frame->flags & FLAG_FINISH) != 0;
	if ((frame->flags & MAGIC_MASK) == MAGIC_DUMMY) {
		frame->is_native = true;
		frame->begins_run = false;
	}
	return (frame->flags & MAGIC_MASK) >= MAGIC_LOWEST;
}

bool ruby_tag_get(struct interp_reader *reader, enum ruby_jumps jumps, uint64_t address,
		  struct ruby_tag *tag)
{
	bool is_libc = jumps == RUBY_JUMPS_LIBC;
	unsigned arrival = TAG_BUFFER + (is_libc ? ruby_variable_jump_at : BUFFER_ARRIVAL);
	size_t outer = TAG_BUFFER + (is_libc ? sizeof(jmp_buf) : BUFFER_WORDS * sizeof(uint64_t));
	const void *from = interp_read(reader, address, outer + sizeof(uint64_t));

	if (!from)
		return false;
	tag->address = address;
	tag->arrival = ruby_word(from, arrival);
	tag->outer = ruby_word(from, outer);
	return !tag->outer || tag->outer > address;
}
