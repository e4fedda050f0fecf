/*
 * All data read from any number of spools: the processes, the counts, the losses, and the merged
 * call tree with its addresses turned into names.  A spool is hostile input: every offset and count
 * is checked before it is used.
 */
#ifndef RUNTIME_PROFILE_MERGE_PROFILE_H
#define RUNTIME_PROFILE_MERGE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/time/window.h"
#include "runtime/profile/tree/profile_options.h"
#include "runtime/spool/format.h"

struct frame_tree;
struct profile_trees;
struct profile;
struct spool_read;

/* The processes whose spools were added: each image that a process executed has one.  Starts as
 * zeroes. */
struct profile_processes {
	struct map numbers; /* {pid, start ticks}: index into the list, plus 1 */
	struct profile_process {
		uint64_t sampled_ns; /* CPU time of its images, as their spools have it */
		uint64_t until_ns;   /* CPU time that it had used at the end of the last of them */
	} * list;
	size_t count;
};

void profile_processes_free(struct profile_processes *processes);

/* Sums over all spools read. */
struct profile_summary {
	unsigned spools;
	unsigned processes; /* distinct pids with their start times */
	unsigned running;   /* processes that still run */
	unsigned killed;    /* processes that ended without marking their spool as finished */
	unsigned threads;
	uint64_t count[SPOOL_COUNTS_NUMBER]; /* of threads and processes */
	uint64_t lost;		    /* all SPOOL_COUNT_LOST_*: samples that no stack carries */
	uint64_t cpu_ns;	    /* CPU time of the processes whose end was recorded */
	uint64_t cpu_handler_ns;    /* the part of cpu_ns that the handler took */
	uint64_t before_ns;	    /* CPU time before sampling: of loaders, and before exec */
	uint64_t start_realtime_ns; /* of the first process, since 1970 */
	uint64_t wall_ns;	    /* first start to last end */
	uint32_t engines;	    /* bit 1 << enum spool_engine for each seen */
	unsigned damaged;	    /* spools of which a part could not be read */
	bool foreign;		    /* a spool belongs to another user */
};

/* Add a spool; those of one process in any order.  Returns 0 or -ENOMEM. */
int profile_summary_add(struct profile_summary *summary, struct profile_processes *processes,
			const struct spool_read *spool);

/* Add the state of the process of a spool in the file `path`: it may still run, or may have been
 * killed.  Reads /proc. */
void profile_summary_add_state(struct profile_summary *summary, const char *path,
			       const struct spool_header *header);

/* What a counter did not see because it could not be opened for some threads. */
struct lacks {
	uint64_t threads;
	uint64_t ns;  /* of their lives */
	uint32_t why; /* of the first of them: see struct spool_lack */
};

/* Add what a counter of this spool did not see.  spool->last_ns is set. */
void lacks_add(struct lacks *lacks, const struct spool_read *spool, unsigned counter);

/* Return why the counter could not be opened, and what would help.  Static; NULL: not known. */
const char *lacks_cause(const struct lacks *lacks);
const char *lacks_remedy(const struct lacks *lacks);

/* Write "3 threads (9.06 s)".  Returns false, and writes nothing, if nothing lacks. */
bool lacks_size(const struct lacks *lacks, char *text, size_t bytes);

/* Write "unknown for 3 threads (9.06 s): permission denied (EACCES); …".  Returns as lacks_size
 * does. */
bool lacks_text(const struct lacks *lacks, char *text, size_t bytes);

/* The total of one counter, and the part of it that the stacks carry. */
struct profile_total {
	uint64_t counted; /* by the counter itself; 0 where the engine has no counter */
	uint64_t enabled_ns;
	uint64_t running_ns; /* less than the enabled time if counters were multiplexed */
	uint64_t dropped;    /* part of counted: events of samples that were not kept */
	uint64_t paused;     /* part of counted: outside FLAMETRAP_START and _STOP */
	uint64_t samples;    /* in stacks, selected or not */
	uint64_t events;     /* in stacks, selected or not */
	struct lacks lacks;  /* what it did not see; of the whole run */
};

/* The part of the time that a profile shows, in ns since its start. */
struct profile_window {
	uint64_t from_ns;  /* 0 where the user named no bound */
	uint64_t to_ns;	   /* likewise the end of the profile */
	uint64_t whole_ns; /* how long the profile lasted */
	struct window_cut_loss loss;
};

/* Returns NULL when memory is out.  Free with profile_free(). */
struct profile *profile_new(const struct profile_options *options);
void profile_free(struct profile *profile);

/* Read one spool and add it.  The readable part of a damaged spool is kept.  Returns 0; 1 if it was
 * damaged and a part was read; or -errno.  In the last two cases `line` names the file, the byte
 * and the fault. */
int profile_read(struct profile *profile, const char *path, char *line, size_t bytes);

/* Note when the process of an open spool ran.  With options.window, this is done for all spools
 * before the first of them is read; then profile_place() finds the window in them.  Both return 0,
 * or -errno with `line` filled. */
int profile_expect_fd(struct profile *profile, int fd, const char *path, char *line, size_t bytes);
int profile_place(struct profile *profile, char *line, size_t bytes);

/* Like profile_read(), for a spool that is open as fd, which stays the caller's (see
 * spool_read_check()). */
int profile_read_fd(struct profile *profile, int fd, const char *path, char *line, size_t bytes);

/* Add stacks that already have names to the first counter; if there is none yet, to a new one named
 * "value".  Returns 0 or -ENOMEM. */
int profile_add_tree(struct profile *profile, struct frame_tree *tree);

const struct profile_summary *profile_summary(const struct profile *profile);

/* Returns the header of the first spool read: output stem, formats, command; NULL if none. */
const struct spool_header *profile_first(const struct profile *profile);

/* Return the counters by name, merged over the spools. */
unsigned profile_counter_count(const struct profile *profile);
const struct spool_counter *profile_counter(const struct profile *profile, unsigned counter);

struct profile_total profile_total(const struct profile *profile, unsigned counter);

/* Returns how much of a counter one sample stands for; the mean if the period varied. */
uint64_t profile_period(const struct profile *profile, unsigned counter);

/* Returns what one sample stands for, for runs_add(): the period, or the mean length of a wait; 0
 * if each wait is a sample, as their lengths are no estimate.  Numbers of events keep the variance
 * of chance, also where each is a sample: a few equal numbers do not say how they vary. */
double profile_per_sample(const struct profile *profile, unsigned counter);

/* Get the window.  Returns false if the user named none. */
bool profile_window(const struct profile *profile, struct profile_window *window);

/* Sort the timeline, if there is one.  This is done after the last spool; more of them may follow.
 * Returns 0 or -ENOMEM. */
int profile_settle(struct profile *profile);

/* Returns the stacks and what options requested beside them; owned by the profile. */
const struct profile_trees *profile_merge(const struct profile *profile);

/* Make the sorted stacks of one counter, with names in the folded format, command first.  Values
 * are samples or events as spool_settings_weigh_events() decides.  Returns 0 with *tree, to be
 * freed with frame_tree_free(); or -errno. */
int profile_tree(struct profile *profile, unsigned counter, enum settings_weight weight,
		 struct frame_tree **tree);

/* Join the first clock (task-clock, cpu-clock) and the first off-cpu counter, as time on and off
 * the CPU, into stacks in nanoseconds, with FRAME_KIND_ON_CPU or FRAME_KIND_OFF_CPU below the
 * command. Returns like profile_tree(); -ENODATA if one of the two was not counted. */
int profile_wall_tree(struct profile *profile, struct frame_tree **tree);

#endif
