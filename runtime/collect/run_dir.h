/*
 * The private directory of one run: PARENT/flametrap.XXXXXX, mode 0700.  The command locks it as
 * long as it lives, so that `flametrap recover` knows whose spools still have a reader.  Root's
 * spools are in PARENT/flametrap.XXXXXX/SECRET, where the users that its program becomes can make
 * their spools too; see run_dir.c.
 */
#ifndef RUNTIME_COLLECT_RUN_DIR_H
#define RUNTIME_COLLECT_RUN_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Make a directory in `wanted` unless that is empty, otherwise in a writable memory file system,
 * otherwise beside the output `stem`; `path` becomes the absolute path of the directory for spools.
 * Returns a descriptor that holds the lock (close-on-exec; keep it open); or -errno with `line`
 * filled and nothing left behind. */
int run_dir_make(const char *wanted, const char *stem, char *path, size_t path_bytes, char *line,
		 size_t bytes);

/* Remove a directory of the caller's whose path is from run_dir_make() or run_dir_spools(), if it
 * is empty.  Any other directory stays. */
void run_dir_remove(const char *path);

/* Write the run's directory PARENT/flametrap.XXXXXX of a directory for spools: the argument for
 * recover. */
void run_dir_name(const char *path, char *run, size_t bytes);

/* Returns true if somebody holds the lock of a file, which is opened with these flags (open(2)). */
bool run_dir_is_locked(const char *path, int flags);

/* Returns true if the command that made a directory still runs.  False for any other directory. */
bool run_dir_in_use(const char *path);

/* Returns true for the path PARENT/flametrap.XXXXXX of a run's directory that `owner` owns. */
bool run_dir_is(const char *path, uid_t owner);

/* Write the directory that holds the spools of a run's directory: PARENT/flametrap.XXXXXX itself or
 * one below it.  Returns false if `path` is no such directory, or may not be listed. */
bool run_dir_spools(const char *path, char *spools, size_t bytes);

#endif
