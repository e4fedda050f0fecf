/* The private directory of one run and its spools. */
#ifndef RUNTIME_COLLECT_SPOOLS_H
#define RUNTIME_COLLECT_SPOOLS_H

#include <stdint.h>
#include <sys/types.h>

#include "runtime/collect/collection.h"
#include "runtime/profile/spool/spool_files.h"

#define SURVIVORS_NAME_BYTES 64

/* The processes of a run that go on when the program has ended: daemons, servers started by a
 * script, children in the background. */
struct survivors {
	unsigned count;
	pid_t pid;			 /* of one of them; 0 if it is in another pid namespace */
	char name[SURVIVORS_NAME_BYTES]; /* its name, as /proc/PID/comm has it */
};

/* The spools of the process that COMMAND was started as. */
enum spools_main {
	SPOOLS_MAIN_MISSING,  /* no spool */
	SPOOLS_MAIN_EXECED,   /* only of images that exec replaced; the last image left none */
	SPOOLS_MAIN_PROFILED, /* that of its last image */
};

struct spools {
	struct spool_files files;
	struct collection collection; /* spools_read() chooses them */
	struct survivors survivors;
	enum spools_main main;
};

/* List the spools of a directory, for a COMMAND with this pid.  Returns 0 with *spools, to be freed
 * with spools_free(), or -errno. */
int spools_list(struct spools *spools, const char *directory, unsigned pid);

/* Add all spools to a profile, but other users' larger than `bound_bytes`.  Errors are printed. */
void spools_read(struct spools *spools, const struct collection_options *options,
		 uint64_t bound_bytes, struct profile *profile);

void spools_free(struct spools *spools);

/* Remove all spools of a directory, read or not, and then the directory. */
void spools_discard(const char *directory);

/* Wait until no process of the run of a directory is left, or until `ending`, which is called every
 * 100 ms, returns a signal that asks to end the command.  `first`, if not NULL, is called once
 * before the first wait, with one of the processes.  Returns that signal, or 0. */
int spools_wait(const char *directory, int (*ending)(void),
		void (*first)(const struct survivors *survivors));

#endif
