/*
 * The functions of interpreted programs, placed among the native frames of a sample.
 *
 * Each runtime is one file (or a few with its name as prefix) behind struct interp_runtime.  It
 * recognises its interpreter among the loaded objects, once; and for a sample it says which
 * functions run in which native frame.  It finds them by address if it can: an interpreter's
 * loop keeps something of its own in its native frame.  For CPython until 3.10 and for Perl it
 * counts frames.  Where it is not certain, it leaves native frames.
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_H
#define RUNTIME_SAMPLE_INTERP_INTERP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "runtime/sample/cfi/unwind_range.h"

struct modules;

/*
 * Reads of a runtime's memory during one walk.  A wrong pointer must never become a fault, and what
 * a right one leads to may be unmapped, or made unreadable, by another thread at any instant.  So
 * everything but the thread's own stack is copied by the kernel (memory_copy()); in a sandbox that
 * refuses that, by a probe and a load, between which memory may go.
 */

#define INTERP_COPIES_BLOCK 512	 /* bytes, which lie in one page */
#define INTERP_COPIES_MAX   240	 /* blocks of a walk … */
#define INTERP_COPIES_MORE  32	 /* … and places that further ones take in turn */
#define INTERP_COPIES_SLOTS 512	 /* a power of two, and more than INTERP_COPIES_MAX */
#define INTERP_COPIES_CALLS 2048 /* of the kernel by one walk, some 3 ms; then nothing is read */

/* What a walk has the kernel copy, in blocks.  A call of the kernel costs several times as much as
 * one more block of the same call, and a thread is mostly found near where it was found before.  So
 * a walk begins by copying, at once, the blocks that the thread's last walk asked for.  Nothing
 * that an earlier walk copied is ever used. */
struct interp_copies {
	bool is_begun;	  /* this walk has copied */
	uint16_t count;	  /* of blocks, without those that take turns */
	uint16_t fetched; /* of these, the number that were copied at once */
	uint16_t turn;	  /* of the further blocks, the next place */
	unsigned calls;	  /* of the kernel */
	uint64_t address[INTERP_COPIES_MAX + INTERP_COPIES_MORE]; /* 0: none */
	bool asked[INTERP_COPIES_MAX];				  /* by this walk */
	uint8_t slot[INTERP_COPIES_SLOTS]; /* by address: the number of a block + 1 */
	struct iovec from[INTERP_COPIES_MAX], to[INTERP_COPIES_MAX];
	_Alignas(16) unsigned char bytes[INTERP_COPIES_MAX + INTERP_COPIES_MORE]
					[INTERP_COPIES_BLOCK];
};

#define INTERP_READ_MAX	 INTERP_COPIES_BLOCK /* bytes of one read */
#define INTERP_READ_KEPT 16		     /* results that stay valid */

struct interp_reader {
	uint64_t stack_low, stack_high; /* the thread's stack from the leaf's stack pointer on */
	unsigned next;			/* of kept */
	struct interp_copies copied;
	_Alignas(16) unsigned char kept[INTERP_READ_KEPT][INTERP_READ_MAX + 16];
};

/* Begin a walk whose stack is readable in [low, high).  Context: signal; likewise the others. */
void interp_read_begin(struct interp_reader *reader, uint64_t low, uint64_t high);

/* True if the walk read what it asked for, as far as that was there: it did not ask for too much.
 */
bool interp_read_is_whole(const struct interp_reader *reader);

/* Returns `bytes` bytes (1 to INTERP_READ_MAX) at an address that may be anything; NULL if it
 * cannot be read.  The result is as aligned as the address, up to 16 bytes.  It may be the thread's
 * stack itself, so whoever loads from it is MEMORY_RAW.  It stays valid for INTERP_READ_KEPT - 1
 * further reads. */
const void *interp_read(struct interp_reader *reader, uint64_t address, size_t bytes);

/* Like interp_read(), for a chain that goes on at lower addresses near by: these are copied by the
 * same call of the kernel. */
const void *interp_read_below(struct interp_reader *reader, uint64_t address, size_t bytes);

/* Have one call of the kernel copy what will be read soon: `bytes` bytes (1 to INTERP_READ_MAX) at
 * each address.  As many as one call has room for: MEMORY_PIECES / 2 at least. */
void interp_read_ahead(struct interp_reader *reader, const uint64_t *address, unsigned count,
		       size_t bytes);

/* A native stack, leaf first. */
struct interp_stack {
	const uint64_t *pcs; /* addresses to look up, as unwind_walk() gives them */
	const uint64_t *sps; /* the stack pointer in each frame; sps[i + 1] is the CFA of frame i */
	unsigned depth;
	const ucontext_t *context; /* the interrupted code's registers */
	bool ends;		   /* it reaches the outermost frame, or seems to */
	bool complete;		   /* it reaches the outermost frame, and no frame is a guess */
	struct unwind_range range; /* all of it can be read: the stack of the outermost frame */
};

/* One function of the program in a native frame. */
struct interp_place {
	uint32_t native; /* index of the native frame that runs it */
	uint64_t pc;	 /* spool_code_pc(), or SPOOL_PC_NO_CODE, SPOOL_PC_COLLECTING */
};

/* The result of a walk: functions, innermost first, so `native` never falls. */
struct interp_places {
	struct interp_place *place;
	unsigned count, max;
};

/* The memory of a thread's walks, which a handler's stack has no room for. */
struct interp_work {
	struct interp_reader reader;
	struct interp_places places;
	uint64_t *sps;	  /* room for one more than the greatest depth */
	uint64_t *merged; /* the merged stack, leaf first */
	unsigned max;	  /* room in it */
	bool cut;	  /* its outermost frames had no room */
};

/* What a merge came to, for the account. */
enum interp_outcome {
	INTERP_NATIVE,	 /* no interpreter is in this stack */
	INTERP_MERGED,	 /* all functions are in their places */
	INTERP_PENDING,	 /* likewise, but the innermost call or return was in progress */
	INTERP_PARTIAL,	 /* likewise, but functions further out are missing */
	INTERP_NO_STATE, /* no state of this thread: starting, ending, or not the interpreter's */
	INTERP_UNMERGED, /* what was found contradicts itself, or could or must not be read */
};

/* Returns the bytes of memory that walks up to that depth need.  Context: any. */
size_t interp_work_bytes(unsigned depth);

/* Begin to use such memory, which is aligned like an uint64_t[2] and full of zeroes.  Only the
 * returned struct is written.  Context: thread. */
struct interp_work *interp_work_start(void *memory, unsigned depth);

/* Begin to look for interpreters among the objects of `modules`, at the first sample.  `note`
 * receives one line for each interpreter whose functions cannot be shown; Context: any.  Without
 * this call no interpreter is ever known.  Context: init. */
void interp_start(const struct modules *modules, void (*note)(const char *line));

/* In the child of a fork, before its modules begin anew.  Context: fork child. */
void interp_restart(void);

/* Before and after objects may be unloaded: in between no functions are found, because a walk could
 * read the data of an interpreter that is gone already.  An interpreter that is the program itself
 * stays.  The first waits for walks that are under way, some 10 ms at most.  Context: thread. */
void interp_unload_begin(void);
void interp_unload_end(void);

/* True if a known interpreter is loaded, or was until a moment ago.  Looks at objects that are new
 * and at those that may be gone, if there are any.  Context: signal. */
bool interp_is_here(void);

/* Put the functions of interpreters into a stack: work->merged receives the merged stack; a
 * function stands right after (on the leaf's side of) the native frame that runs it.  Returns its
 * depth, or 0 if the stack stays as it is; *outcome says why.  Context: signal. */
unsigned interp_merge(const struct interp_stack *stack, struct interp_work *work,
		      enum interp_outcome *outcome);

#endif
