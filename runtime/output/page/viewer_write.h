/*
 * The page (--format html): one self-contained file that a browser shows without a network.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_WRITE_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_WRITE_H

#include <stdint.h>
#include <stdio.h>

#include "config/settings/settings.h"

struct profile;

/* Write the page of a profile, with times if it was made with options.timeline.  A page of more
 * than `most` bytes is written with fewer samples, and says so; 0: no limit.  Returns 0, -EIO
 * or -ENOMEM. */
int viewer_write(const struct profile *profile, enum settings_weight weight, uint64_t most,
		 FILE *file);

#endif
