/*
 * Writes pprof's profile.proto, gzipped: all counters of a profile in one file, by address.
 *
 * Readers require, and the file has: numbers of mappings, locations and functions that count from 1
 * without a gap; the program as the first mapping; addresses within their mapping; `samples` as the
 * first kind of value, then the counters with the user's first one last, because readers show the
 * last one when default_sample_type is not set; text in UTF-8.  Addresses are those to look up: a
 * caller's is its return address minus one.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_PPROF_H
#define RUNTIME_OUTPUT_FORMATS_PPROF_H

#include <stdio.h>

struct profile;

/* Write a profile that was made with profile_options.locations.
 * Returns 0, -EIO, -ENOMEM, or -EINVAL without locations. */
int pprof_write(const struct profile *profile, FILE *file);

#endif
