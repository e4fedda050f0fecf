/*
 * All are opened before any is mapped, and nothing is left open if one of them fails.
 */
#include "runtime/sample/overflow/successor.h"

#include <string.h>

#include "runtime/sample/perf/event_mapping.h"
#include "runtime/sample/perf/group.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/sys.h"

#define PAGE_BYTES 4096UL

void successor_close_descriptors(struct group_anew *anew)
{
	for (unsigned i = 0; i < anew->opened; i++)
		sys_close(anew->fd[i]);
	anew->opened = 0;
}

void successor_forget(struct group_anew *anew)
{
	successor_close_descriptors(anew);
	anew->enabled_ns = 0;
	for (unsigned i = 0; i < EVENTS_MAX; i++)
		event_mapping_remove(anew->page[i], PAGE_BYTES);
	ring_unmap(&anew->ring);
}

static int open_members(struct group_anew *anew, const struct group_leader *leader)
{
	for (unsigned i = 1; i < leader->count; i++) {
		int fd = group_open_counter(&session.plan, leader->counter[i], anew->fd[0],
					    &(struct group_pace){ 0 });

		if (fd < 0)
			return fd;
		anew->fd[anew->opened++] = fd;
	}
	return 0;
}

int successor_open(struct group_anew *anew, const struct group_leader *leader, uint64_t period)
{
	int err, fd = group_open_counter(&session.plan, leader->counter[0], -1,
					 &(struct group_pace){ .least = period });

	memset(anew, 0, sizeof(*anew));
	if (fd < 0)
		return fd;
	anew->fd[anew->opened++] = fd;
	err = session.plan.engine == SPOOL_ENGINE_SIGIO
		      ? group_send_signal(fd, sys_gettid(), session.signal)
		      : 0;
	if (!err)
		err = open_members(anew, leader);
	if (err)
		successor_forget(anew);
	return err;
}

int successor_map(struct group_anew *anew)
{
	int err = ring_map(&anew->ring, anew->fd[0], session.plan.ring_pages);

	for (unsigned i = 1; i < anew->opened && !err; i++) {
		err = event_mapping_make(&anew->page[i], PAGE_BYTES, anew->fd[i]);
		if (err)
			anew->page[i] = NULL;
	}
	if (err)
		successor_forget(anew);
	return err;
}

int successor_open_mapped(struct group_anew *anew, const struct group_leader *leader,
			  uint64_t period)
{
	int err = successor_open(anew, leader, period);

	return err ? err : successor_map(anew);
}
