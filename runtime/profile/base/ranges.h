/*
 * Turns address ranges that may overlap into a sorted table without overlaps.  Where several ranges
 * cover an address, the one of highest rank wins.  Symbols, unwind tables, kernel symbols and JIT
 * maps are all stored in such tables.
 */
#ifndef RUNTIME_PROFILE_BASE_RANGES_H
#define RUNTIME_PROFILE_BASE_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start; /* first address */
	uint64_t end;	/* one past the last address */
	uint32_t rank;
	uint32_t value; /* for the caller's use */
};

struct ranges {
	struct range *range;
	size_t count;
};

/* Add a range; an empty one is ignored.  The struct must start zeroed.  Returns 0 or -ENOMEM. */
int ranges_add(struct ranges *ranges, uint64_t start, uint64_t end, uint32_t rank, uint32_t value);

/* Resolve overlaps in O(n log n), once after the last ranges_add().  Returns 0 or -ENOMEM. */
int ranges_build(struct ranges *ranges);

/* Returns the part of a built table that holds the address, or NULL. */
const struct range *ranges_find(const struct ranges *ranges, uint64_t address);

/* Returns the first part that starts above the address, or NULL. */
const struct range *ranges_after(const struct ranges *ranges, uint64_t address);

/* Returns how many entries of an array are at most `value`.  The array is sorted by the uint64_t
 * that each of its entries begins with. */
size_t ranges_upper(const void *entries, size_t count, size_t entry_bytes, uint64_t value);

void ranges_free(struct ranges *ranges);

#endif
