/*
 * Reads of a runtime's memory during one walk.  A wrong pointer must never become a fault.
 *
 * Quiet: nothing that this thread's frames hold can be freed while the thread stands in the
 * handler, because it holds the interpreter's lock, or is the interpreter's only thread.  Then what
 * a live frame refers to is loaded plainly, and other addresses after their page was probed, once a
 * walk. Not quiet: another thread may free and unmap anything at any time.  Then everything but the
 * thread's own stack is copied by memory_copy(): by the kernel, or, in a sandbox that refuses that,
 * by a probe and a load, between which memory may go.
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_READ_H
#define RUNTIME_SAMPLE_INTERP_INTERP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/interp/interp_copies.h"

#define INTERP_READ_MAX	   512	/* bytes of one read */
#define INTERP_READ_KEPT   8	/* results that stay valid */
#define INTERP_READ_PAGES  128	/* probed pages that a walk remembers */
#define INTERP_READ_BELOW  4096 /* bytes of a page */
#define INTERP_READ_PIECES 2048 /* bytes of pieces … */
#define INTERP_READ_PARTS  2	/* … of each kind */
#define INTERP_READ_COPIES 2048 /* of a walk, some 3 ms; then it is given up */

struct interp_reader {
	uint64_t stack_low, stack_high;	  /* the thread's stack from the leaf's stack pointer on */
	bool quiet;			  /* set by the runtime; false at first */
	unsigned next;			  /* of kept */
	unsigned copies;		  /* that this walk asked for */
	uint64_t page[INTERP_READ_PAGES]; /* probed; 0: none */
	uint64_t below_at;		  /* where `below` was copied from; 0: nowhere */
	uint64_t below_end;		  /* … and up to here */
	const unsigned char *below;	  /* in `copied` or below_own */
	struct interp_copies copied;	  /* unless there is no room in it: */
	_Alignas(16) unsigned char below_own[INTERP_READ_BELOW];
	_Alignas(16) unsigned char pieces[INTERP_READ_PARTS][INTERP_READ_PIECES];
	_Alignas(16) unsigned char kept[INTERP_READ_KEPT][INTERP_READ_MAX];
};

/* Begin a walk whose stack is readable in [low, high).  Context: signal; likewise the others. */
void interp_read_begin(struct interp_reader *reader, uint64_t low, uint64_t high);

/* Returns `bytes` bytes (1 to INTERP_READ_MAX) at an address that may be anything; NULL if it
 * cannot be read.  The result is at least as aligned as the address.  It may be the program's own
 * memory, so whoever loads from it is MEMORY_RAW.  It stays valid for INTERP_READ_KEPT - 1 further
 * reads. */
const void *interp_read(struct interp_reader *reader, uint64_t address, size_t bytes);

/* Like interp_read(), for what a live frame of this thread certainly holds, if reader->quiet. */
const void *interp_read_held(struct interp_reader *reader, uint64_t address, size_t bytes);

/* Like interp_read(), for a chain that goes on at lower addresses
 * near by.  The result stays valid until the next call. */
const void *interp_read_below(struct interp_reader *reader, uint64_t address, size_t bytes);

/* Returns copies of up to MEMORY_PIECES pieces of `bytes` bytes each, a multiple of 16, one after
 * the other; NULL if one cannot be read.  The result stays valid until the next call for the same
 * part, which is below INTERP_READ_PARTS. */
const void *interp_read_pieces(struct interp_reader *reader, unsigned part, const uint64_t *address,
			       unsigned count, size_t bytes);

#endif
