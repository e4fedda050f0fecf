/*
 * Files that changed after they were sampled: what a listing would show of them may be wrong.
 */
#ifndef RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_AGE_H
#define RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_AGE_H

#include <stdbool.h>
#include <stdint.h>

struct profile;

/* Returns when the last process of a profile ended, in ns since 1970; UINT64_MAX if one still runs
 * or that is not known. */
uint64_t annotate_age_ended(const struct profile *profile);

/* Returns when a file changed, in ns since 1970; 0 if it cannot be looked at. */
uint64_t annotate_age_changed(const char *path);

/* Returns whether a file changed after that time; false if it cannot be looked at. */
bool annotate_age_is_newer(const char *path, uint64_t than);

#endif
