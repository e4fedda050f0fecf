/*
 * What a walk has the kernel copy, in blocks.  A call of the kernel costs several times as much as
 * one more block of the same call, and a thread is mostly found near where it was found before.  So
 * a walk begins by copying, at once, the blocks that the thread's last walk asked for.  Nothing
 * that an earlier walk copied is ever used.
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_COPIES_H
#define RUNTIME_SAMPLE_INTERP_INTERP_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define INTERP_COPIES_BLOCK 512	 /* bytes, which lie in one page */
#define INTERP_COPIES_MAX   240	 /* blocks of a walk … */
#define INTERP_COPIES_MORE  32	 /* … and places that further ones take in turn */
#define INTERP_COPIES_SLOTS 512	 /* a power of two, and more than INTERP_COPIES_MAX */
#define INTERP_COPIES_CALLS 2048 /* of the kernel by one walk, some 3 ms; then nothing is read */

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

/* Begin a walk.  Context: signal; likewise the others. */
void interp_copies_begin(struct interp_copies *copies);

/* Copy `bytes` bytes, at most a block's.  False: they cannot be read. */
bool interp_copies_get(struct interp_copies *copies, uint64_t address, size_t bytes, void *to);

/* Have ready, by one call of the kernel if they can be read, the blocks of `bytes` bytes, at most a
 * block's, at each of `count` addresses. */
void interp_copies_expect(struct interp_copies *copies, const uint64_t *address, unsigned count,
			  size_t bytes);

/* Likewise the block of an address, and all below it in its page. */
void interp_copies_expect_below(struct interp_copies *copies, uint64_t address);

#endif
