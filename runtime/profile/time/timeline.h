/*
 * The timeline of a profile: each sample with its time, its thread and its labels, from the logs of
 * all spools (runtime/spool/format_log.h), on one axis.  Its stacks are nodes of the merged trees.
 *
 * Times are in ns since `zero`: the earliest start of a process.  Spools of one boot of one machine
 * share CLOCK_MONOTONIC; others are placed by the wall-clock time of their start.
 */
#ifndef RUNTIME_PROFILE_TIME_TIMELINE_H
#define RUNTIME_PROFILE_TIME_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/spool/spool_log.h"

struct spool_read;
struct spool_read_thread;
struct string_table;

#define TIMELINE_NONE UINT32_MAX

/* One counter of one sample.  The counters of a group have entries with the same time, track and
 * node, the sample's own counter first. */
struct timeline_sample {
	uint64_t time_ns; /* time off the processor ended then, and began `events` before */
	uint64_t samples; /* 0: only events, of a counter that did not overflow, or of a wait; above
			   * 1: samples that were joined to save space */
	uint64_t events;  /* in the counter's unit */
	uint32_t node;	  /* of merge.calls; CALL_TREE_ROOT: the stack is not selected */
	uint32_t location; /* node of merge.locations->calls; 0: merge has no locations */
	uint32_t track;
	uint32_t labels;  /* the last label of its set: index into `labels` plus 1; 0: none */
	uint32_t trace;	  /* index into `traces` plus 1; 0: none */
	uint32_t counter; /* the profile's */
};

/* One thread. */
struct timeline_track {
	uint32_t process;
	uint32_t tid;  /* as seen in the target's pid namespace */
	uint32_t name; /* a number of merge.strings */
	uint64_t start_ns;
	uint64_t end_ns; /* when it ended, or was last known to run */
};

/* One process; exec(2) begins another one. */
struct timeline_process {
	uint32_t pid;
	uint32_t parent_pid;
	uint32_t command; /* a number of merge.strings, like the next */
	uint32_t executable;
	uint32_t host;
	uint64_t start_ns;
	uint64_t end_ns;
	bool exec; /* exec(2) began it */
};

struct timeline_mark {
	uint64_t time_ns;
	enum spool_mark kind;
	uint32_t process;
	uint32_t track; /* TIMELINE_NONE: of the process */
	uint32_t text;	/* a number of merge.strings: the module's path, the counter; 0: none */
	uint64_t value; /* as in enum spool_mark */
};

/* One label, and those set before it.  A set is named by its last label. */
struct timeline_label {
	uint32_t below; /* index plus 1, below its own; 0: none */
	uint32_t key;	/* a number of merge.strings, like the next */
	uint32_t value; /* of the empty text: the key has no value */
};

struct timeline {
	struct timeline_sample *samples; /* in the order of time; then of track */
	size_t sample_count;
	struct timeline_track *tracks;
	uint32_t track_count;
	struct timeline_process *processes;
	uint32_t process_count;
	struct timeline_mark *marks; /* in the order of time */
	size_t mark_count;
	struct timeline_label *labels;
	uint32_t label_count;
	struct spool_read_trace *traces; /* bytes as an OpenTelemetry SDK wrote them */
	uint32_t trace_count;
	uint64_t zero_realtime_ns; /* CLOCK_REALTIME of time 0 */
	uint64_t end_ns;  /* the last moment of the profile, or of the window that was asked for */
	uint64_t from_ns; /* start of that window */
	uint64_t thinned; /* samples joined with others */
	uint64_t dropped; /* samples that have no time, because a log was full */
	bool partial;	  /* a spool has no timeline: its samples have no time */
};

/* One axis of time for the spools of several processes, boots and hosts: CLOCK_REALTIME.  Spools of
 * one boot of one host share CLOCK_MONOTONIC, so the first of them places all: a clock that is set
 * while they run does not move them apart.  They are recognised by the name of the host and the
 * time of its boot.  An empty axis is zeroed.  Release it with timeline_axis_free(). */
struct timeline_axis {
	struct timeline_axis_boot *boots;
	uint32_t boot_count;
	uint64_t start_ns; /* of the first process, CLOCK_REALTIME */
	uint64_t end_ns;   /* the last moment of a process that is known */
	bool begun;	   /* a spool was added */
};

void timeline_axis_free(struct timeline_axis *axis);

/* Add the process of a spool, which ended or was last seen at `end_ns` of its CLOCK_MONOTONIC.  A
 * spool may be added several times.  Returns 0 or -ENOMEM. */
int timeline_axis_add(struct timeline_axis *axis, const struct spool_header *header,
		      uint64_t end_ns);

/* Returns what to add to times of a spool that was added, modulo 2^64, to get CLOCK_REALTIME. */
uint64_t timeline_axis_offset(const struct timeline_axis *axis, const struct spool_header *header);

/* Add `later_ns`, modulo 2^64, to all times; those before 0 become 0, and no end lies before its
 * start.  Find the processes that exec(2) began: `ticks` has the starts by process.  Sort samples
 * and marks, where samples of one track and time stay in the order in which they were added.  Sets
 * end_ns to the last time.  Returns 0 or -ENOMEM. */
int timeline_sort(struct timeline *timeline, uint64_t later_ns, const uint64_t *ticks);

/* Returns the name of a mark, "fork", "throttled" and so on, static; NULL for a kind that is not
 * known. */
const char *timeline_mark_name(enum spool_mark kind);

/* The functions below build a timeline from spools that were read with their logs. */

/* Where the samples of a thread are in the merged trees. */
struct timeline_places {
	const uint32_t *shown;	   /* by node of the log: the node below; NULL: the same */
	const uint32_t *nodes;	   /* by shown node: that of merge.calls */
	const uint32_t *locations; /* likewise: that of merge.locations */
	const uint32_t *counters;  /* by counter of the spool: the profile's */
};

/* `strings` must outlive the result.  Returns NULL when memory is out.  Free with timeline_free().
 */
struct timeline *timeline_new(struct string_table *strings);
void timeline_free(struct timeline *timeline);

/* Begin a spool.  `offset_ns` is that of timeline_axis_offset().  It must live until its threads
 * and marks were added.  All four return 0 or -ENOMEM. */
int timeline_begin(struct timeline *timeline, const struct spool_read *spool, uint64_t offset_ns);

/* Add a thread of that spool. */
int timeline_add_thread(struct timeline *timeline, const struct spool_read_thread *thread,
			const struct timeline_places *places);

/* Add the marks of its process.  Call it after the last thread. */
int timeline_end(struct timeline *timeline);

/* Sort what was added so far, and make its times relative to `zero_ns`, CLOCK_REALTIME.  Further
 * spools may follow.  `from_ns` and `to_ns` are the window (window.h). */
int timeline_settle(struct timeline *timeline, uint64_t zero_ns, uint64_t from_ns, uint64_t to_ns);

#endif
