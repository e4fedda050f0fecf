/*
 * The counters of one thread: for each leader of the user's event list a ring, for each member
 * one mapped page.  Mapped, enabled, and then every descriptor is closed: the mapping holds the
 * event, which goes on counting and signalling until munmap.
 */
#ifndef RUNTIME_SAMPLE_GROUP_H
#define RUNTIME_SAMPLE_GROUP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/events.h"
#include "runtime/sample/record.h"
#include "runtime/sample/ring.h"

struct settings;

/* What one process opens for each of its threads; decided once by trying. */
struct group_plan {
	struct events events;
	struct perf_event_attr attr[EVENTS_MAX];
	bool available[EVENTS_MAX]; /* opened when tried */
	bool kernel;		    /* kernel side included */
	struct record_format format;
	unsigned ring_pages;
	int refused;		 /* errno of the first refusal; 0: none */
	unsigned refused_event;	 /* its index */
	uint64_t busy_period_ns; /* shortest time between samples of a clock; 0: no clock */
};

/* One leader with its members, in the order in which the kernel counts them. */
struct group_leader {
	struct ring ring;
	unsigned count;
	unsigned counter[EVENTS_MAX]; /* indices into plan->events */
	struct record_counts last;    /* W: the handler */
};

struct group {
	unsigned leaders;
	unsigned descriptors; /* open between group_open and group_arm */
	int fd[EVENTS_MAX];
	void *page[EVENTS_MAX]; /* of members; NULL for leaders */
	struct group_leader leader[EVENTS_MAX];
};

/* Value of perf_event_attr.sig_data that tells our overflows from others. */
#define GROUP_COOKIE 0x70617274656d616cULL

/* Decide what opens here, by opening it on the calling thread and closing it again: kernel
 * side or not, lost counts or not, task-clock for cycles nobody asked for.
 * Returns 0; or -errno when no leader opens (plan->refused says which).  Context: init. */
int group_plan(struct group_plan *plan, const struct settings *settings);

/* Open and map the counters of the calling thread, not yet enabled.
 * Returns 0, or -errno with nothing left open.  Context: thread. */
int group_open(struct group *group, const struct group_plan *plan);

/* Enable all, then close every descriptor.  Returns 0 or -errno.  Context: thread. */
int group_arm(struct group *group);

/* End the counters.  After fork the child's mappings are gone: it calls group_forget, which
 * touches nothing.  Context: thread. */
void group_close(struct group *group);
void group_forget(struct group *group);

#endif
