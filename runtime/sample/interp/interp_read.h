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

#include "runtime/sample/interp/interp_copies.h"

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
