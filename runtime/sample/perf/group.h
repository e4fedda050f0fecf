/*
 * The counters of one thread: a ring for each leader of the user's event list, and one mapped page
 * for each member.  The counters are mapped and enabled, then every descriptor is closed.  The
 * mapping holds the event, which goes on counting and signalling until munmap.
 */
#ifndef RUNTIME_SAMPLE_PERF_GROUP_H
#define RUNTIME_SAMPLE_PERF_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/events/events.h"
#include "runtime/sample/perf/ring.h"

struct perf_event_attr;
struct plan;
struct spool_total;

#define GROUP_NONE EVENTS_MAX /* no counter */

/* State of an off-cpu leader's thread when it was last switched out.  W, R: its handler. */
struct group_away {
	uint32_t node; /* in the thread's tree; 0: not switched out, or no sample wanted */
	bool preempted;
	bool paused; /* switched out while sampling was paused: counted, but in no stack */
	uint64_t since_ns;
};

/* One leader with its members, in the kernel's order of counting. */
struct group_leader {
	struct ring ring;
	unsigned count;
	unsigned counter[EVENTS_MAX]; /* indices into plan->events */
	bool clock;		      /* of the thread's CPU time */
	bool of_time; /* a clock, or a counter that our handler makes overflow, such as cycles */
	bool off_cpu; /* it samples switches: their weight is time */
	uint32_t refresh; /* overflows after which the leader stops; 0: never */
	uint32_t taken;	  /* W, R: the handler: samples so far, if the leader stops */
	int notifier_fd;  /* between group_open and group_arm; else -1 */
	void *notifier; /* page of the event that signals for the leader; NULL: it signals itself */
	struct record_counts last; /* W: the handler */
	struct group_away away;
	bool resting;  /* a clock with the period of a heartbeat: sampling is paused */
	bool reopened; /* opened again: its counts restarted.  Both W, R: the thread */
	/* What the totals are ahead of the counts of an event that was opened again; else 0. */
	uint64_t before[EVENTS_MAX], enabled_before_ns, running_before_ns;
	/* The first period (first_period.h).  W, R: the thread, its handler. */
	uint64_t first;	  /* as drawn; 0: it was over when the event was opened */
	uint64_t ahead;	  /* events that the first sample stands for beyond those counted; else 0 */
	uint64_t between; /* least distance of samples until the event is replaced; 0: it was */
	uint64_t until_ns;  /* its successor counts from then on; CLOCK_MONOTONIC; 0: it has none */
	uint64_t passed;    /* events of overflows that were passed over since the last sample */
	uint64_t record_ns; /* time of the last record, a sample or passed over; CLOCK_MONOTONIC */
	bool stays; /* the rights to replace it are gone: it goes on with its first period */
	/* The number of the finding of its symbol that the ring watches; 0: none.  W:
	 * pending_watch.c */
	uint32_t finding;
};

/* The replacement for a leader's ring and its members' pages. */
struct group_anew {
	struct group_leader *leader; /* NULL: none is replaced */
	uint64_t enabled_ns;	     /* CLOCK_MONOTONIC; 0: it does not run */
	struct ring ring;
	unsigned opened;
	int fd[EVENTS_MAX];	/* of the opened events, the leader first */
	void *page[EVENTS_MAX]; /* by counter of the leader; NULL: the leader, or not opened */
};

struct group {
	unsigned leaders;
	int refused;	      /* -errno of a member that could not be opened; 0: all could */
	unsigned descriptors; /* open between group_open and group_arm */
	int fd[EVENTS_MAX];
	void *page[EVENTS_MAX]; /* of members; NULL for leaders */
	/* CPU time of the thread when they began, if they count the kernel's side */
	uint64_t armed_cpu_ns;
	struct ring loader; /* of the breakpoint that reports new libraries; see pending_watch.h */
	struct group_leader leader[EVENTS_MAX];
};

/* Opens and maps the counters of the calling thread without enabling them.  `signal` is the
 * signal of the sigio engine.  If `beat_ns` is not 0, clocks rest at that period.  Leaders
 * without an address yet (plan->pending), and the leader of counter `without`, come last and
 * have no ring.  Returns 0, or -errno with nothing left open.  Context: thread. */
int group_open(struct group *group, const struct plan *plan, int signal, uint64_t beat_ns,
	       unsigned without);

/* How often a leader overflows. */
struct group_pace {
	uint64_t least; /* at most once per this many; 0: as planned */
	uint64_t first; /* if not 0, the period instead: first_period.h */
};

/* Opens a counter of the calling thread, disabled.  It joins the group of leader_fd or, if that
 * is -1, is a leader that overflows at its pace.  Returns its descriptor or -errno.  Context:
 * thread, signal. */
int group_open_counter(const struct plan *plan, unsigned counter, int leader_fd,
		       const struct group_pace *pace);

/* Makes the file send `signal` to one thread at each overflow (fcntl(2), F_SETOWN_EX).  This
 * stays in force after the descriptor is closed: the mapping holds the file.  Context: thread,
 * signal. */
int group_send_signal(int fd, pid_t tid, int signal);

/* Enables all counters, then closes every descriptor.  Returns 0 or -errno.  Context: thread. */
int group_arm(struct group *group);

/* Opens, maps and enables one event without members for a thread of this process, and gives its
 * ring to that thread's handler.  Leaves no descriptor open.  Returns 0 or -errno.  Context:
 * thread, signal. */
int group_watch(struct ring *ring, const struct plan *plan, const struct perf_event_attr *attr,
		pid_t tid, int signal);

/* True if records wait in any of the rings.  Context: signal, exit. */
bool group_pending(const struct group *group);

/* Stores the true totals of the calling thread in `totals`, one per counter, if the counter's
 * page offers them.  The others keep the totals of the last record.  Context: thread, when its
 * counters are about to be closed. */
void group_store_totals(const struct group *group, const struct plan *plan,
			struct spool_total *totals);

/* Closes the counters.  The child of a fork does not have the mappings: it calls group_forget,
 * which changes no mapping.  Context: thread. */
void group_close(struct group *group);
void group_forget(struct group *group);

#endif
