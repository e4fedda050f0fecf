/*
 * Before a program gives up the rights that its counters were opened with, the successor is opened,
 * and no descriptor is kept that could enable it.  prctl(PR_TASK_PERF_EVENTS_ENABLE) enables it, as
 * it enables all events that the thread has opened.  So one successor at most is prepared in a
 * thread, and it is dropped before anything else makes that call.
 */
#include "runtime/sample/rate/reopen.h"

#include <string.h>
#include <sys/prctl.h>

#include "runtime/sample/perf/ring.h"
#include "runtime/sample/perf/group.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"

#define PAGE_BYTES 4096UL

void successor_close_descriptors(struct group_anew *anew)
{
	for (unsigned i = 0; i < anew->opened; i++)
		sys_close(anew->fd[i]);
	anew->opened = 0;
}

static void forget(struct group_anew *anew)
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
		forget(anew);
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
		forget(anew);
	return err;
}

int successor_open_mapped(struct group_anew *anew, const struct group_leader *leader,
			  uint64_t period)
{
	int err = successor_open(anew, leader, period);

	return err ? err : successor_map(anew);
}

void successor_prepare(struct thread *thread, struct group_leader *leader, uint64_t period)
{
	struct group_anew *prepared = &thread->prepared;

	if (prepared->leader || successor_open_mapped(prepared, leader, period))
		return;
	successor_close_descriptors(prepared);
	prepared->leader = leader;
}

bool successor_run_prepared(struct thread *thread, const struct group_leader *leader)
{
	if (thread->prepared.leader != leader)
		return false;
	thread->anew = thread->prepared;
	thread->prepared.leader = NULL;
	sys_prctl(PR_TASK_PERF_EVENTS_ENABLE, 0);
	thread->anew.enabled_ns = machine_time_now_ns();
	return true;
}

void successor_drop(struct thread *thread)
{
	if (!thread->prepared.leader)
		return;
	forget(&thread->prepared);
	thread->prepared.leader = NULL;
}
