/*
 * One axis of time for the spools of several processes, boots and hosts: CLOCK_REALTIME.
 *
 * Spools of one boot of one host share CLOCK_MONOTONIC, so the first of them places all: a clock
 * that is set while they run does not move them apart.  They are told by the name of the host and
 * by the time of its boot.
 */
#ifndef RUNTIME_PROFILE_TIME_TIME_AXIS_H
#define RUNTIME_PROFILE_TIME_TIME_AXIS_H

#include <stdbool.h>
#include <stdint.h>

struct spool_header;
struct time_axis_boot;

/* An empty axis is zeroed.  Release it with time_axis_free(). */
struct time_axis {
	struct time_axis_boot *boots;
	uint32_t boot_count;
	uint64_t start_ns; /* of the first process, CLOCK_REALTIME */
	uint64_t end_ns;   /* the last moment of a process that is known */
	bool begun;	   /* a spool was added */
};

void time_axis_free(struct time_axis *axis);

/* Add the process of a spool, which ended or was last seen at `end_ns` of its CLOCK_MONOTONIC.  A
 * spool may be added several times.  Returns 0 or -ENOMEM. */
int time_axis_add(struct time_axis *axis, const struct spool_header *header, uint64_t end_ns);

/* Returns what to add to times of a spool that was added, modulo 2^64, to get CLOCK_REALTIME. */
uint64_t time_axis_offset(const struct time_axis *axis, const struct spool_header *header);

#endif
