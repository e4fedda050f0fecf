/*
 * The private directory of one run and its spools.
 */
#ifndef RUNTIME_COLLECT_SPOOLS_H
#define RUNTIME_COLLECT_SPOOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/collect/survivors.h"
#include "runtime/profile/spool/spool_files.h"

struct profile;

/* The spools of the process that COMMAND was started as. */
enum spools_main {
	SPOOLS_MAIN_MISSING,  /* no spool */
	SPOOLS_MAIN_EXECED,   /* only of images that exec replaced; the last image left none */
	SPOOLS_MAIN_PROFILED, /* that of its last image */
};

struct spools {
	struct spool_files files;
	const char **read; /* paths of the files whose samples are in the profile */
	size_t read_count;
	struct survivors survivors;
	unsigned failed; /* files that could not be read at all */
	enum spools_main main;
};

/* List the spools of a directory, for a COMMAND with this pid.  Returns 0 with *spools, to be freed
 * with spools_free(), or -errno. */
int spools_list(struct spools *spools, const char *directory, unsigned pid);

/* Add all spools to a profile, except those of other users that are larger than `bound_bytes`.
 * Errors are printed. */
void spools_read(struct spools *spools, uint64_t bound_bytes, struct profile *profile);

/* Remove the files that were read, then the directory if it is empty; nothing while a process of
 * the run goes on, which `flametrap recover` then writes together with the others. */
void spools_remove(struct spools *spools, const char *directory);

void spools_free(struct spools *spools);

/* Wait until no process of the run of a directory is left, or until `ending`, which is called every
 * 100 ms, returns a signal that asks to end the command.  `first`, if not NULL, is called once
 * before the first wait, with one of the processes.  Returns that signal, or 0. */
int spools_wait(const char *directory, int (*ending)(void),
		void (*first)(const struct survivors *survivors));

#endif
