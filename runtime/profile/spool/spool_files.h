/*
 * Finds spools in a directory by their names (runtime/spool/spool_name.h), and whether the process
 * that writes one still lives.
 */
#ifndef RUNTIME_PROFILE_SPOOL_SPOOL_FILES_H
#define RUNTIME_PROFILE_SPOOL_SPOOL_FILES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Mode of a directory in which other users than its owner may create spools, but not list them. */
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

/* The state of a spool's process. */
enum spool_files_state {
	SPOOL_FILES_RUNNING,
	SPOOL_FILES_FINISHED,
	SPOOL_FILES_KILLED, /* it ended without marking its spool as finished */
};

struct spool_files {
	struct spool_file *file; /* by pid, then path */
	size_t count;
	bool everybody; /* set by the caller: include the spools of all users, not only our own */
	size_t refused; /* spools of other users beyond the limit */
};

/* Add the caller's own spools in a directory, by name.  Their contents are not read.  In a
 * directory of the caller's with SPOOL_FILES_SHARED_MODE the spools of other users count too.
 * Returns 0, or -errno with the spools found so far in *files. */
int spool_files_add(struct spool_files *files, const char *directory);
void spool_files_free(struct spool_files *files);

/* Mark the spools whose process runs (pid and start time match, and it is no zombie), and those
 * that some process has mapped (it may be in another pid namespace).  Returns 0 or -errno. */
int spool_files_find_live(struct spool_files *files);

/* Returns the state of the process of a spool whose header has the state `state`; and the name of a
 * state: "running", "finished" or "killed". */
enum spool_files_state spool_files_state(uint32_t state, bool live);
const char *spool_files_state_name(enum spool_files_state state);

/* Returns the state of the process of the spool at `path`, or of the spool that this is a copy of;
 * the header is that of the file. */
struct spool_header;
enum spool_files_state spool_files_state_of(const char *path, const struct spool_header *header);

/* Returns true if the spool's process runs, judged by its pid and start time. */
bool spool_files_is_running(const struct spool_file *file);

/* Returns when a process in /proc started, in ticks since boot; 0 if there is none. */
uint64_t spool_files_start_ticks(const char *pid);

/* Returns the pid of a process in /proc in its own namespace, which its spool has: the last one of
 * the NSpid line (proc(5)); `pid` itself where there is no such line. */
unsigned spool_files_own_pid(const char *pid);

/* Returns the pid, in our namespace, of the process of a spool; 0 if it has ended or is not
 * visible. Whatever its namespaces, /proc/PID/root leads to its files. */
unsigned spool_files_live_pid(const struct spool_header *header);

#endif
