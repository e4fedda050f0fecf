/*
 * Spools in a directory: flametrap.PID.STARTTICKS.RANDOM.spool, and whether the process that
 * writes one still lives.
 */
#ifndef RUNTIME_FOLD_SPOOL_FILES_H
#define RUNTIME_FOLD_SPOOL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct spool_file {
	char *path;
	unsigned pid;
	uint64_t start_ticks;
	dev_t device;
	ino_t inode;
	bool live; /* set by spool_files_find_live */
};

struct spool_files {
	struct spool_file *file; /* by pid, then path */
	size_t count;
	size_t capacity;
};

/* Add the caller's own spools in a directory, by name; nothing in them is looked at.
 * Returns 0, or -errno with what was found so far in *files. */
int spool_files_add(struct spool_files *files, const char *directory);
void spool_files_free(struct spool_files *files);

/* Mark the spools whose process runs (pid and start time fit, and it is no zombie) or which
 * some process has mapped (it may live in another pid namespace).  Returns 0 or -errno. */
int spool_files_find_live(struct spool_files *files);

/* True if its process runs, as far as its pid and start time tell. */
bool spool_files_is_running(const struct spool_file *file);

/* When a process of /proc started, in ticks since boot; 0 if there is none. */
uint64_t spool_files_start_ticks(const char *pid);

/* Read PID and STARTTICKS from a spool's path.  False if it is not named like one. */
bool spool_files_parse(const char *path, unsigned *pid, uint64_t *start_ticks);

#endif
