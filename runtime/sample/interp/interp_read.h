/*
 * Reads of a runtime's memory during one walk.  A wrong pointer must never become a fault.
 *
 * Quiet: nothing that this thread's frames hold can be freed while the thread stands in the
 * handler, because it holds the interpreter's lock, or is the interpreter's only thread.  Then what
 * a live frame refers to is loaded plainly, and other addresses after their page was probed, once a
 * walk. Not quiet: another thread may free and unmap anything at any time.  Then everything but the
 * thread's own stack is copied by the kernel (memory_copy()).
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_READ_H
#define RUNTIME_SAMPLE_INTERP_INTERP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERP_READ_MAX	  512 /* bytes of one read */
#define INTERP_READ_KEPT  8   /* results that stay valid */
#define INTERP_READ_PAGES 32  /* probed pages that a walk remembers */

struct interp_reader {
	uint64_t stack_low, stack_high;	  /* the thread's stack from the leaf's stack pointer on */
	bool quiet;			  /* set by the runtime; false at first */
	unsigned next;			  /* of kept */
	uint64_t page[INTERP_READ_PAGES]; /* probed; 0: none */
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

#endif
