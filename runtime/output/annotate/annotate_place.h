/*
 * The code that a location of a profile is in.
 */
#ifndef RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_PLACE_H
#define RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct location;
struct locations;

/* Returns the address of a location: of its file's own, or as it is for code that is in no file. */
uint64_t annotate_place_address(const struct locations *locations, const struct location *at);

/* Returns true for a location that says what a sample hit, such as the memory of a page fault: its
 * weight is that of the code above it. */
bool annotate_place_is_data(const struct locations *locations, const struct location *at);

/* Find the code that a sample weighs at which ends at a node of locations->calls: its mapping, and
 * the address in the mapping's file.  Returns false if that is in no file. */
bool annotate_place_find(const struct locations *locations, uint32_t node, uint32_t *mapping,
			 uint64_t *address);

#endif
