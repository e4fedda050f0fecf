/*
 * Writes a profile as Firefox Profiler (profiler.firefox.com) stores its own: JSON, gzipped.
 *
 * The file has preprocessedProfileVersion 60, the first one with tables shared by all threads;
 * later versions of the page convert it.  Each thread has the samples of the first counter, with
 * its weights, and with the CPU time between them if the counter is one of CPU time.  The samples
 * of each further counter are a track of their own below, because a track has one weight.  Marks,
 * labels and time off the processor are markers.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_FIREFOX_H
#define RUNTIME_OUTPUT_FORMATS_FIREFOX_H

#include <stdio.h>

#include "config/settings/settings.h"

struct profile;

/* Write a profile that was made with profile_options.timeline and .locations.  Returns 0, -EIO,
 * -ENOMEM, -ELIBACC without zlib, or -EINVAL without those options. */
int firefox_write(const struct profile *profile, enum settings_weight weight, FILE *file);

#endif
