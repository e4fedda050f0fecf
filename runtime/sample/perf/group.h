/*
 * The counters of one thread: for each leader of the user's event list a ring, for each member
 * one mapped page.  Mapped, enabled, and then every descriptor is closed: the mapping holds the
 * event, which goes on counting and signalling until munmap.
 */
#ifndef RUNTIME_SAMPLE_PERF_GROUP_H
#define RUNTIME_SAMPLE_PERF_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/events/events.h"
#include "runtime/sample/perf/record.h"
#include "runtime/sample/perf/ring.h"

struct perf_event_attr;
struct plan;
struct spool_total;

#define GROUP_NONE EVENTS_MAX /* no counter */

/* Where an off-cpu leader's thread was when it was last switched out.  W, R: its handler. */
struct group_away {
	uint32_t node; /* in the thread's tree; 0: not switched out, or no sample wanted */
	bool preempted;
	bool paused; /* switched out while sampling was paused: counted, in no stack */
	uint64_t since_ns;
};

/* One leader with its members, in the order in which the kernel counts them. */
struct group_leader {
	struct ring ring;
	unsigned count;
	unsigned counter[EVENTS_MAX]; /* indices into plan->events */
	bool off_cpu;		      /* it samples switches: what they weigh is time */
	uint32_t refresh;	      /* overflows after which it stops; 0: it never does */
	uint32_t taken;		      /* W, R: the handler: samples so far, if it stops */
	int notifier_fd;	      /* between group_open and group_arm; else -1 */
	void *notifier;		      /* page of the event that signals for it; NULL: it does */
	struct record_counts last;    /* W: the handler */
	struct group_away away;
	bool resting; /* a clock at the period of a heartbeat: sampling is paused */
	bool anew;    /* opened anew: its counts began again.  Both W, R: the thread */
	/* Which finding of its symbol the ring watches; 0: none.  W: pending_watch.c */
	uint32_t finding;
};

struct group {
	unsigned leaders;
	unsigned descriptors; /* open between group_open and group_arm */
	int fd[EVENTS_MAX];
	void *page[EVENTS_MAX]; /* of members; NULL for leaders */
	struct ring loader; /* of the breakpoint that tells of new libraries; see pending_watch.h */
	struct group_leader leader[EVENTS_MAX];
};

/* Open and map the counters of the calling thread, not yet enabled.  `signal` is what the sigio
 * engine sends; clocks rest at a period of `beat_ns`, if that is not 0.  Leaders whose place is not
 * there yet (plan->pending), and the one of counter `without`, come last and have no ring.
 * Returns 0, or -errno with nothing left open.  Context: thread. */
int group_open(struct group *group, const struct plan *plan, int signal, uint64_t beat_ns,
	       unsigned without);

/* Open a counter of the calling thread, in the group of leader_fd or, if that is -1, as a leader
 * that overflows no more often than once in `period`; disabled.  Returns its descriptor or -errno.
 * Context: thread, signal. */
int group_open_counter(const struct plan *plan, unsigned counter, int leader_fd, uint64_t period);

/* Have the file send `signal` to one thread at each overflow (fcntl(2), F_SETOWN_EX).  It stays so
 * after the descriptor is closed: the mapping holds the file.  Context: thread, signal. */
int group_send_signal(int fd, pid_t tid, int signal);

/* Enable all, then close every descriptor.  Returns 0 or -errno.  Context: thread. */
int group_arm(struct group *group);

/* Open, map and enable one event without members for a thread of this process, and give its ring
 * to that thread's handler; no descriptor is left open.  Returns 0 or -errno.
 * Context: thread, signal. */
int group_watch(struct ring *ring, const struct plan *plan, const struct perf_event_attr *attr,
		pid_t tid, int signal);

/* True if records wait in any of the rings.  Context: signal, exit. */
bool group_pending(const struct group *group);

/* Put the true totals of the calling thread into `totals`, one for each counter, where its pages
 * offer them; the others keep those of the last record.  Context: thread, when its counters are
 * about to end. */
void group_store_totals(const struct group *group, const struct plan *plan,
			struct spool_total *totals);

/* End the counters.  After fork the child's mappings are gone: it calls group_forget, which
 * touches nothing.  Context: thread. */
void group_close(struct group *group);
void group_forget(struct group *group);

#endif
