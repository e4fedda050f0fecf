/*
 * The private directory of one run and the spools in it.
 */
#ifndef PRELOAD_LAUNCHER_SPOOLS_H
#define PRELOAD_LAUNCHER_SPOOLS_H

#include <stdbool.h>

#include "runtime/fold/spool_files.h"

struct profile;

struct spools {
	struct spool_files files;
	bool *read;	  /* by file: its samples are in the profile */
	unsigned running; /* processes that still run */
	unsigned failed;  /* files that could not be read at all */
};

/* List the spools of a directory.  Returns 0 with *spools to be freed by spools_free, or
 * -errno. */
int spools_list(struct spools *spools, const char *directory);

/* Add them all to a profile; what is wrong with one is said. */
void spools_read(struct spools *spools, struct profile *profile);

/* Remove the files that were read, then the directory if it is empty.  Returns 0 or -errno. */
int spools_remove(struct spools *spools, const char *directory);

void spools_free(struct spools *spools);

#endif
