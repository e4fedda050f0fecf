/*
 * What the name of a frame tells: of which kind its code is, by a suffix or by brackets; and the
 * names of frames that are no code.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_FRAME_KIND_H
#define RUNTIME_FOLD_SYMBOLS_FRAME_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Between the command and its functions, where time on and off the processor is one tree. */
#define FRAME_KIND_ON_CPU  "[on-CPU]"
#define FRAME_KIND_OFF_CPU "[off-CPU]"

/* Put onto names in a picture only: code that a thread waited in. */
#define FRAME_KIND_WAITING_SUFFIX "_[o]"

enum frame_kind {
	FRAME_KIND_USER,
	FRAME_KIND_KERNEL,    /* suffix _[k] */
	FRAME_KIND_JIT,	      /* suffix _[j] */
	FRAME_KIND_INLINED,   /* suffix _[i] */
	FRAME_KIND_WAITING,   /* [off-CPU], [still blocked], suffix _[o] */
	FRAME_KIND_PREEMPTED, /* [preempted] */
	FRAME_KIND_UNKNOWN,   /* [module], module@0x12ab, [truncated] and other names in brackets */
	FRAME_KINDS
};

/* What kind of code this is; *bytes is the length of the name without the suffix that says so.
 * Context: any. */
enum frame_kind frame_kind_of(const char *name, size_t *bytes);

/* "kernel", "just in time" …, or NULL for ordinary code. */
const char *frame_kind_text(enum frame_kind kind);

/* The name of a frame that is no address (enum spool_pc), "[truncated]"; "[unknown]" for what this
 * version does not know.  `pc` < SPOOL_PC_LIMIT.  Static.  Context: any. */
const char *frame_kind_special(uint64_t pc);

/* True if it is such a name.  Context: any. */
bool frame_kind_is_special(const char *name);

#endif
