/*
 * pprof's profile.proto, gzipped: all counters of a profile in one file, by address.
 *
 * What readers insist on, and gets: numbers of mappings, locations and functions count from 1
 * without a gap; the first mapping is the program; addresses lie in their mapping; the first
 * kind of value is `samples`, then come the counters, the user's first one last, for that is
 * the one readers show when default_sample_type is not set; all text is UTF-8.
 * Addresses are those to look up: callers are at the return address minus one.
 */
#ifndef RUNTIME_FOLD_FORMATS_PPROF_H
#define RUNTIME_FOLD_FORMATS_PPROF_H

#include <stdio.h>

struct profile;

/* Write a profile that was made with profile_options.locations.
 * Returns 0, -EIO, -ENOMEM, or -EINVAL without locations. */
int pprof_write(const struct profile *profile, FILE *file);

#endif
