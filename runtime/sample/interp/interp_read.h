/*
 * Reads of a runtime's memory during one walk.  A wrong pointer must never become a fault, and what
 * a right one leads to may be unmapped, or made unreadable, by another thread at any instant.  So
 * everything but the thread's own stack is copied by the kernel (memory_copy()); in a sandbox that
 * refuses that, by a probe and a load, between which memory may go.
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_READ_H
#define RUNTIME_SAMPLE_INTERP_INTERP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

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

#endif
