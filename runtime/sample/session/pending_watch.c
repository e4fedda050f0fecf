/*
 * Everything here except pending_watch_is_there is under the session's lock.  The handler waits for
 * the lock only for a limited time, because the lock's holder may be waiting for the loader, which
 * the handler's thread is in.  A symbol that cannot be searched for now is searched for when the
 * loader calls again.
 *
 * A ring is handed to another thread's handler complete, and its event is enabled afterwards.  A
 * ring is taken back only while that handler is kept away.  If the handler is in the middle of a
 * turn, its thread does this itself at the end of the turn.
 */
#include "runtime/sample/session/pending_watch.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <linux/hw_breakpoint.h>

#include "config/text/text.h"
#include "runtime/sample/elf/elf_symbol.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"

/* The processor's registers for watched addresses.  The loader's breakpoint is removed when all are
 * used. */
#define REGISTERS 4

/* A watch that waits, or waited, for its library. */
struct watch {
	bool wanted;
	bool present;	  /* valid during look() */
	bool was_found;	  /* at any time so far */
	uint32_t finding; /* number of the match; 0: not found now */
	struct loader_object object;
	_Atomic uintptr_t map; /* object.map while it is loaded.  R: any handler */
	struct perf_event_attr attr;
};

static struct watch watches[EVENTS_MAX];
static bool any_pending;
static bool spare_register; /* for the loader's breakpoint, after all symbols are found */
static uint32_t findings;
static const struct plan *plan; /* W: init */
static struct perf_event_attr loader_attr;

static void found(unsigned counter, const struct link_map *map, uint64_t address)
{
	struct spool_counter *about = &session.spool.header->counter[counter];
	struct watch *watch = &watches[counter];

	watch->finding = ++findings;
	watch->present = watch->was_found = true;
	watch->object = loader_list_object(map);
	watch->attr = plan->attr[counter];
	watch->attr.bp_addr += map->l_addr + address;
	atomic_store_explicit(&watch->map, (uintptr_t)map, memory_order_relaxed);
	atomic_store_explicit(&about->missing, 0, memory_order_relaxed);
}

static void search(const struct link_map *map)
{
	const char *path = map->l_name[0] ? map->l_name : session.executable;
	struct elf_symbol symbol;

	for (unsigned i = 0; i < plan->events.count; i++)
		if (watches[i].wanted && !watches[i].finding &&
		    !elf_symbol_find(path, plan->events.event[i].symbol, &symbol))
			found(i, map, symbol.address);
}

static void lose(struct watch *watch)
{
	watch->finding = 0;
	atomic_store_explicit(&watch->map, 0, memory_order_relaxed);
}

static void mark_present(const struct link_map *map)
{
	for (unsigned i = 0; i < plan->events.count; i++)
		if (watches[i].finding && loader_list_is_same(&watches[i].object, map))
			watches[i].present = true;
}

static void look_at(const struct link_map *map, bool is_new, void *context)
{
	const bool *searching = context;

	if (!is_new)
		mark_present(map);
	else if (*searching)
		search(map);
}

/* Looks at the loaded objects.  `searching`: also searches new objects for the missing symbols.
 * The caller is within the loader, or no other thread is. */
static void look(bool searching)
{
	for (unsigned i = 0; i < plan->events.count; i++)
		watches[i].present = false;
	loader_list_look(look_at, &searching);
	for (unsigned i = 0; i < plan->events.count; i++)
		if (!watches[i].present)
			lose(&watches[i]);
}

static bool any_missing(void)
{
	for (unsigned i = 0; i < plan->events.count; i++)
		if (watches[i].wanted && !watches[i].finding)
			return true;
	return false;
}

static bool close_ring(struct thread *thread, struct ring *ring, bool own)
{
	struct ring mapped;

	if (!own && !thread_hold(thread)) {
		atomic_store_explicit(&thread->watch.stale, 1, memory_order_relaxed);
		return false;
	}
	ring_withdraw(ring, &mapped);
	if (!own)
		thread_release(thread);
	ring_unmap(&mapped);
	return true;
}

/* Returns 0 or -errno. */
static int open_ring(struct thread *thread, struct ring *ring, const struct perf_event_attr *attr)
{
	int err = group_watch(ring, plan, attr, thread->tid, session.signal);

	if (err)
		spool_alloc_add_count(&session.spool, SPOOL_COUNT_ATTACH_FAILED, 1);
	return err;
}

static void follow_watch(struct thread *thread, struct group_leader *leader, bool own)
{
	const struct watch *watch = &watches[leader->counter[0]];
	int err;

	if (leader->finding == watch->finding)
		return;
	if (leader->ring.page && !close_ring(thread, &leader->ring, own))
		return;
	leader->finding = watch->finding;
	memset(&leader->last, 0, sizeof(leader->last));
	err = watch->finding ? open_ring(thread, &leader->ring, &watch->attr) : 0;
	if (err)
		thread_lacks(thread, 1u << leader->counter[0], err);
}

/* Opens and closes a thread's rings so that they match the watches.  `own`: the thread is the
 * caller, and is in its handler or has all signals blocked.  Registers are freed before they are
 * taken. */
static void follow(struct thread *thread, bool own)
{
	struct group *group = &thread->group;
	bool wanted = spare_register || any_missing();

	if (!wanted && group->loader.page)
		close_ring(thread, &group->loader, own);
	for (unsigned i = 0; i < group->leaders; i++)
		if (watches[group->leader[i].counter[0]].wanted)
			follow_watch(thread, &group->leader[i], own);
	if (wanted && !group->loader.page)
		open_ring(thread, &group->loader, &loader_attr);
}

static void follow_all(void)
{
	for (struct thread *thread = thread_first(); thread; thread = thread_next(thread))
		if (thread->watch.joined)
			follow(thread, thread == thread_self);
}

static void make_loader_attr(const struct perf_event_attr *attr)
{
	loader_attr = *attr;
	loader_attr.exclude_kernel = 1;
	loader_attr.freq = 0;
	loader_attr.sample_period = 1;
	loader_attr.sample_type = PERF_SAMPLE_TIME;
	loader_attr.bp_type = HW_BREAKPOINT_X;
	loader_attr.bp_addr = loader_list_function();
	loader_attr.bp_len = sizeof(long);
}

void pending_watch_start(void)
{
	unsigned watched = 0;

	plan = &session.plan;
	for (unsigned i = 0; i < plan->events.count; i++) {
		watched += plan->available[i] && plan->events.event[i].type == PERF_TYPE_BREAKPOINT;
		watches[i].wanted = plan->available[i] && plan->pending[i];
		any_pending |= watches[i].wanted;
		if (watches[i].wanted)
			make_loader_attr(&plan->attr[i]);
	}
	spare_register = watched < REGISTERS;
	if (any_pending)
		look(false);
}

bool pending_watch_is_missing(const struct plan *of, unsigned counter)
{
	return of->available[counter] && of->pending[counter] && !watches[counter].was_found;
}

bool pending_watch_explain(struct text *text)
{
	bool any = false;

	for (unsigned i = 0; i < plan->events.count; i++) {
		if (!pending_watch_is_missing(plan, i))
			continue;
		text_add(text, any ? ", " : "nothing that this program loaded has the symbol of ");
		text_add(text, plan->events.event[i].name);
		any = true;
	}
	return any;
}

static void join(struct thread *thread)
{
	thread->watch.joined = true;
	atomic_store_explicit(&thread->watch.stale, 0, memory_order_relaxed);
	follow(thread, true);
}

void pending_watch_join(struct thread *thread)
{
	if (!any_pending)
		return;
	session_lock();
	join(thread);
	session_unlock();
}

void pending_watch_leave(struct thread *thread)
{
	if (!any_pending)
		return;
	session_lock();
	thread->watch.joined = false;
	session_unlock();
}

void pending_watch_pause(struct thread *thread)
{
	uint64_t mask = sys_signals_block();

	if (!any_pending || !session_lock_patiently()) {
		sys_signals_restore(mask);
		return;
	}
	thread->watch.joined = false;
	session_unlock();
	for (unsigned i = 0; i < thread->group.leaders; i++) {
		struct group_leader *leader = &thread->group.leader[i];

		if (!leader->finding)
			continue;
		ring_unmap(&leader->ring);
		leader->finding = 0;
	}
	ring_unmap(&thread->group.loader);
	sys_signals_restore(mask);
}

void pending_watch_resume(struct thread *thread)
{
	uint64_t mask = sys_signals_block();

	if (any_pending && session_lock_patiently()) {
		join(thread);
		session_unlock();
	}
	sys_signals_restore(mask);
}

void pending_watch_notice(struct thread *thread)
{
	struct ring *ring = &thread->group.loader;

	ring_begin(ring);
	ring->tail = ring->head;
	ring_end(ring);
	if (!loader_list_is_settled() || !session_lock_patiently())
		return;
	look(true);
	follow_all();
	session_unlock();
}

void pending_watch_catch_up(struct thread *thread)
{
	if (!session_lock_patiently())
		return;
	atomic_store_explicit(&thread->watch.stale, 0, memory_order_relaxed);
	if (thread->watch.joined)
		follow(thread, true);
	session_unlock();
}

bool pending_watch_is_there(unsigned counter, uint64_t address)
{
	uintptr_t map = atomic_load_explicit(&watches[counter].map, memory_order_relaxed);
	struct dl_find_object object;

	return map && !loader_find_object((void *)address, &object) && /* NOLINT */
	       (uintptr_t)object.dlfo_link_map == map;
}

void pending_watch_sweep(void)
{
	bool any = false;
	uint64_t mask;

	if (!any_pending)
		return;
	mask = sys_signals_block();
	if (session_lock_patiently()) {
		for (unsigned i = 0; i < plan->events.count; i++) {
			if (!watches[i].finding ||
			    pending_watch_is_there(i, watches[i].attr.bp_addr))
				continue;
			lose(&watches[i]);
			any = true;
		}
		if (any)
			follow_all();
		session_unlock();
	}
	sys_signals_restore(mask);
}
