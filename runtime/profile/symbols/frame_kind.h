/*
 * Derives the kind of a frame's code from its name, by a suffix or by brackets; and defines the
 * names of frames that are no code.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_FRAME_KIND_H
#define RUNTIME_PROFILE_SYMBOLS_FRAME_KIND_H

#include <stdbool.h>
#include <stddef.h>

/* A frame between the command and its functions, where one tree holds time on and off the CPU. */
#define FRAME_KIND_ON_CPU  "[on-CPU]"
#define FRAME_KIND_OFF_CPU "[off-CPU]"

/* Added to names in a picture only: code that a thread waited in. */
#define FRAME_KIND_WAITING_SUFFIX "_[o]"

enum frame_kind {
	FRAME_KIND_USER,
	FRAME_KIND_KERNEL,    /* suffix _[k] */
	FRAME_KIND_JIT,	      /* suffix _[j] */
	FRAME_KIND_INTERP,    /* suffix _[p]: a function of an interpreted program */
	FRAME_KIND_INLINED,   /* suffix _[i] */
	FRAME_KIND_WAITING,   /* [off-CPU], [still blocked], suffix _[o] */
	FRAME_KIND_PREEMPTED, /* [preempted] */
	FRAME_KIND_UNKNOWN,   /* [module], module@0x12ab, [truncated] and other names in brackets */
	FRAME_KINDS
};

/* Returns the kind of code of a frame; *bytes is the length of the name without the suffix that
 * denotes the kind.  Context: any. */
enum frame_kind frame_kind_of(const char *name, size_t *bytes);

/* Returns true for a frame of that kind.  Context: any. */
bool frame_kind_is(const char *name, enum frame_kind kind);

/* Returns "kernel", "just in time" and so on, or NULL for ordinary code. */
const char *frame_kind_text(enum frame_kind kind);

/* Returns true for a name of special_pc.h.  Context: any. */
bool frame_kind_is_special(const char *name);

#endif
