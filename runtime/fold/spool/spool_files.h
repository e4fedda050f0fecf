/*
 * Spools in a directory: flametrap.PID.STARTTICKS.RANDOM.spool, and whether the process that
 * writes one still lives.
 */
#ifndef RUNTIME_FOLD_SPOOL_SPOOL_FILES_H
#define RUNTIME_FOLD_SPOOL_SPOOL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Mode of a directory in which users other than its owner may make spools, and nothing else. */
#define SPOOL_FILES_SHARED_MODE 01733

struct spool_file {
	char *path;
	unsigned pid;
	uint64_t start_ticks;
	uint64_t bytes;
	uid_t owner;
	dev_t device;
	ino_t inode;
	bool live; /* set by spool_files_find_live */
};

/* What became of a spool's process. */
enum spool_files_state {
	SPOOL_FILES_RUNNING,
	SPOOL_FILES_FINISHED,
	SPOOL_FILES_KILLED, /* it ended without being able to say so */
};

struct spool_files {
	struct spool_file *file; /* by pid, then path */
	size_t count;
	size_t capacity;
	bool everybody; /* set by the caller: the spools of all users count, not only ours */
	size_t refused; /* spools of others past the number that is taken */
};

/* Add the caller's own spools in a directory, by name; nothing in them is looked at.  In a
 * directory of the caller's with SPOOL_FILES_SHARED_MODE those of other users count too.
 * Returns 0, or -errno with what was found so far in *files. */
int spool_files_add(struct spool_files *files, const char *directory);
void spool_files_free(struct spool_files *files);

/* Mark the spools whose process runs (pid and start time fit, and it is no zombie) or which
 * some process has mapped (it may live in another pid namespace).  Returns 0 or -errno. */
int spool_files_find_live(struct spool_files *files);

/* The state of the process of a spool whose header says `state`; and its name: "running",
 * "finished" or "killed". */
enum spool_files_state spool_files_state(uint32_t state, bool live);
const char *spool_files_state_name(enum spool_files_state state);

/* The state of the process of a spool at `path` that has this header, or is a copy of one. */
struct spool_header;
enum spool_files_state spool_files_state_of(const char *path, const struct spool_header *header);

/* True if its process runs, as far as its pid and start time tell. */
bool spool_files_is_running(const struct spool_file *file);

/* When a process of /proc started, in ticks since boot; 0 if there is none. */
uint64_t spool_files_start_ticks(const char *pid);

/* Read PID and STARTTICKS from a spool's path.  False if it is not named like one. */
bool spool_files_parse(const char *path, unsigned *pid, uint64_t *start_ticks);

#endif
