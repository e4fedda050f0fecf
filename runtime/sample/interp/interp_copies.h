/*
 * What a walk has the kernel copy.  A call of the kernel costs several times as much as one more
 * piece of the same call, and a thread that waits is mostly found where it was found before.  So a
 * walk begins by copying, at once, what the thread's last walk asked for.  Nothing that an earlier
 * walk copied is ever used.
 */
#ifndef RUNTIME_SAMPLE_INTERP_INTERP_COPIES_H
#define RUNTIME_SAMPLE_INTERP_INTERP_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define INTERP_COPIES_MAX   112
#define INTERP_COPIES_BYTES 24576
#define INTERP_COPIES_SLOTS 256 /* a power of two, and more than INTERP_COPIES_MAX */

struct interp_copies {
	bool is_begun;	  /* this walk has copied */
	bool is_useless;  /* most of what the last walk copied at once, it did not ask for */
	uint16_t count;	  /* of pieces */
	uint16_t fetched; /* of these, the number that were copied at once */
	uint32_t used;	  /* of bytes */
	struct interp_piece {
		uint64_t address;
		uint16_t bytes;
		uint16_t at; /* in bytes */
		bool asked;  /* by this walk */
	} piece[INTERP_COPIES_MAX];
	uint8_t slot[INTERP_COPIES_SLOTS]; /* by address: the number of a piece + 1 */
	struct iovec from[INTERP_COPIES_MAX], to[INTERP_COPIES_MAX];
	_Alignas(16) unsigned char bytes[INTERP_COPIES_BYTES];
};

/* Begin a walk.  Context: signal; likewise the others. */
void interp_copies_begin(struct interp_copies *copies);

/* Get a copy of `bytes` bytes, which stays valid until the next walk; *copy is NULL if they cannot
 * be read.  False: there is no room for more. */
bool interp_copies_get(struct interp_copies *copies, uint64_t address, size_t bytes,
		       const void **copy);

/* Put copies of up to MEMORY_PIECES pieces of `bytes` bytes each, a multiple of 16, one after the
 * other.  False: one cannot be read, or there is no room for more. */
bool interp_copies_put(struct interp_copies *copies, void *to, const uint64_t *address,
		       unsigned count, size_t bytes);

#endif
