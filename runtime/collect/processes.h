/*
 * The profiled processes of this machine, found by their spools: those of this user, or of all
 * users for root.
 */
#ifndef RUNTIME_COLLECT_PROCESSES_H
#define RUNTIME_COLLECT_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/profile/spool/spool_files.h"
#include "runtime/spool/format.h"

/* One process with the spools of its images; each exec begins a new image. */
struct process {
	uint32_t pid;
	uint32_t parent_pid;
	uint64_t start_ticks;
	uint64_t start_realtime_ns; /* of its first image */
	uid_t owner;
	enum spool_files_state state;
	bool paused; /* not sampled now; flametrap start resumes sampling */
	char command[sizeof(
		((struct spool_header *)NULL)->command)]; /* of its last image; NUL-terminated */
	size_t first; /* its spools in processes.path, the last image's last */
	size_t count;
	bool wanted; /* set by processes_want */
};

struct processes {
	struct spool_files files;
	char **path; /* owned by files */
	struct process *process;
	size_t count;
};

/* Find the processes, sorted by pid.  Returns 0, or -errno after a message; call processes_free()
 * in both cases. */
int processes_find(struct processes *processes);
void processes_free(struct processes *processes);

/* Returns true if the text is a pid. */
bool processes_is_pid(const char *text, uint32_t *pid);

/* Mark the process of a pid (of several the one that runs or ran last), and with `tree` all its
 * descendants.  For a pid that is not profiled, such as the flametrap command's own, mark all its
 * descendants.  Returns how many are marked; 0 after a message that there is none. */
size_t processes_want(struct processes *processes, uint32_t pid, bool tree);

#endif
