/*
 * What one process opens for each of its threads.  plan_make.h decides that once, by trying.
 */
#ifndef RUNTIME_SAMPLE_PERF_PLAN_H
#define RUNTIME_SAMPLE_PERF_PLAN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/events/events.h"
#include "runtime/sample/perf/record.h"
#include "runtime/spool/format.h"

struct plan {
	enum spool_engine engine;
	struct events events;
	struct perf_event_attr attr[EVENTS_MAX];
	bool available[EVENTS_MAX]; /* opened when tried */
	bool pending[EVENTS_MAX];   /* its symbol was in no loaded object: pending_watch.h */
	bool kernel;		    /* kernel side included */
	bool faults;		    /* page faults are sampled: mapping_table.h */
	bool spared;		    /* plan_spare left some of it out */
	struct record_format format;
	unsigned ring_pages;
	int refused;		/* -errno of the first refusal; 0: none */
	unsigned refused_event; /* its index */
	/* shortest time between samples of a clock; 0: no clock.  W: also reopen.c.  R: handlers */
	_Atomic uint64_t busy_period_ns;
	uint64_t timer_period_ns; /* of threads that have to do with a timer */
	uint64_t freq_asked_hz;	  /* more than the kernel allows; 0: not */
	uint64_t freq_limit_hz;	  /* what it allows, then */
	uint64_t cost_ns;	  /* of a sample, if its period had to be raised for it; 0: not */
	uint64_t raised_from_ns;  /* the period that was asked for, then … */
	uint64_t raised_to_ns;	  /* … and what it is */
	uint64_t signal_ns;	  /* what the kernel takes for an overflow; 0: not known */
	char asked[EVENTS_NAME_MAX]; /* the first refused event, as the user named it */
};

#endif
