/*
 * Address ranges that may overlap, made into a sorted table without overlaps: where several
 * cover an address, the one of highest rank has it.  Symbols, unwind tables, kernel symbols
 * and JIT maps all become one of these.
 */
#ifndef RUNTIME_FOLD_BASE_RANGES_H
#define RUNTIME_FOLD_BASE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start; /* first address */
	uint64_t end;	/* one past the last */
	uint32_t rank;
	uint32_t value; /* the caller's */
};

struct ranges {
	struct range *range;
	size_t count;
	size_t capacity;
};

/* Add a range (an empty one is ignored) to a struct that was all zero at first.
 * Returns 0 or -ENOMEM. */
int ranges_add(struct ranges *ranges, uint64_t start, uint64_t end, uint32_t rank, uint32_t value);

/* Cut overlaps; call once, after the last ranges_add.  Takes n log n.  Returns 0 or -ENOMEM. */
int ranges_build(struct ranges *ranges);

/* The part of a built table that holds the address, or NULL. */
const struct range *ranges_find(const struct ranges *ranges, uint64_t address);

/* The first part that starts behind the address, or NULL. */
const struct range *ranges_after(const struct ranges *ranges, uint64_t address);

void ranges_free(struct ranges *ranges);

#endif
