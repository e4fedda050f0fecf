/* The code that a location of a profile is in, and whether its file is the one that was sampled. */
#ifndef RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_PLACE_H
#define RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct location;
struct locations;
struct profile;

/* Returns the address of a location: of its file's own, or as it is for code that is in no file. */
uint64_t annotate_place_address(const struct locations *locations, const struct location *at);

/* Returns true for a location that says what a sample hit, such as the memory of a page fault: its
 * weight is that of the code above it. */
bool annotate_place_is_data(const struct locations *locations, const struct location *at);

/* Find the code that a sample weighs at which ends at a node of locations->calls: its mapping, and
 * the address in the mapping's file.  Returns false if that is in no file. */
bool annotate_place_find(const struct locations *locations, uint32_t node, uint32_t *mapping,
			 uint64_t *address);

/* Returns when the last process of a profile ended, in ns since 1970; UINT64_MAX if one still runs
 * or that is not known. */
uint64_t annotate_place_ended(const struct profile *profile);

/* Returns when a file changed, in ns since 1970; 0 if it cannot be looked at. */
uint64_t annotate_place_changed(const char *path);

#endif
