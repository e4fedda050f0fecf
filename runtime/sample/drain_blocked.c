/*
 * The stack of a thread that waits in a system call cannot be walked from another thread.  The
 * address at which it waits is in /proc.
 */
#include "runtime/sample/drain_blocked.h"

#include <stddef.h>
#include <string.h>

#include "config/text/text.h"
#include "runtime/sample/account.h"
#include "runtime/sample/counters.h"
#include "runtime/sample/session.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/thread.h"

/* Returns the user-code address at which a thread waits: the last word of proc(5) syscall.  0: the
 * thread runs, or access is denied. */
static uint64_t waiting_pc(pid_t tid)
{
	char path[64], line[256];
	struct text text = text_into(path, sizeof(path));
	const char *word;
	uint64_t pc = 0;

	text_add(&text, "/proc/self/task/");
	text_number(&text, (uint64_t)tid);
	text_add(&text, "/syscall");
	if (proc_line(path, line, sizeof(line)) <= 0)
		return 0;
	word = strrchr(line, ' ');
	if (!word || strncmp(word, " 0x", 3) != 0)
		return 0;
	for (word += 3; *word; word++) {
		if (*word >= '0' && *word <= '9')
			pc = pc * 16 + (uint64_t)(*word - '0');
		else if (*word >= 'a' && *word <= 'f')
			pc = pc * 16 + (uint64_t)(*word - 'a' + 10);
		else
			return 0;
	}
	return pc;
}

static void drain_thread(struct thread *thread)
{
	struct stack_taken taken = { .end = SPOOL_COUNT_LEAF_ONLY };
	uint64_t pc = waiting_pc(thread->tid);

	taken.node = tree_path(&thread->tree, SPOOL_PC_BLOCKED, &pc, pc != 0, &taken.overflowed);
	for (unsigned i = 0; i < thread->group.leaders; i++) {
		struct group_leader *leader = &thread->group.leader[i];

		if (!leader->ring.page)
			continue;
		account_drain(thread, leader, &taken);
		account_back(thread, leader, machine_time_now_ns());
	}
}

void drain_blocked(void)
{
	for (struct thread *thread = thread_first(); thread; thread = thread_next(thread)) {
		if (thread == thread_self || !thread->slot || !thread_hold(thread))
			continue;
		if (thread->slot && group_pending(&thread->group))
			drain_thread(thread);
		if (thread->slot)
			counters_settle(thread);
		thread_release(thread);
	}
}
