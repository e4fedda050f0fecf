/*
 * Each object is tested for the runtimes' marks once, at the first sample after it is new in the
 * table of modules; a short program may have none.  Those that have a mark are candidates, and the
 * first candidate that a runtime accepts is its object, until it is unloaded.
 *
 * One word keeps walks and looks apart.  Neither waits: a look that finds a walk is left to a later
 * sample, and a walk that finds a look, or a table that has changed since the last look, has no
 * interpreter, unless that is the program itself, which stays.  While objects are unloaded, this is
 * so for all walks.
 */
#include "runtime/sample/interp/interp_runtime.h"

#include <stdatomic.h>
#include <stddef.h>

#include "config/text/text.h"
#include "runtime/sample/elf/elf_dynamic.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/objects/module_table.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/together.h"
#include "runtime/sample/sys/poison.h"

#define LOOKING	       0x80000000U
#define CANDIDATES_MAX 16
#define INHERITED      UINT32_MAX /* no candidate yet: the parent's */
#define LINE_BYTES     128
#define WAIT_NS	       50000 /* an unload waits for walks that long … */
#define WAITS_MAX      200   /* … and so many times */

/* An object that has a runtime's mark. */
struct candidate {
	uint32_t known; /* index in the table of modules */
	unsigned runtime;
	bool refused;
};

/* The object of one runtime. */
struct slot {
	struct interp_found found; /* start == 0: none */
	uint64_t bias;
	uint32_t candidate;
	bool is_ready; /* the runtime has learnt from it */
};

/* What a fork's child writes.  W: init, the look, fork child.  R: any handler */
static struct {
	const struct modules *modules; /* NULL: not started */
	_Atomic uint32_t users;	       /* number of walks; LOOKING */
	_Atomic uint32_t seen_count;   /* of known modules, at the last look */
	_Atomic uint32_t seen_changes; /* of modules */
	_Atomic uint32_t ready;	       /* number of slots … */
	_Atomic uint32_t loose;	       /* … and of those whose object can be unloaded */
	_Atomic uint32_t unloads;      /* in progress.  W: any thread */
	uint32_t candidates;
} state TOGETHER;

/* W: the look, and the child of a fork.  R: walks */
static struct slot slots[INTERP_RUNTIMES_MAX];
static struct candidate candidate[CANDIDATES_MAX]; /* W, R: the look */
static struct elf_dynamic dynamic;		   /* W, R: the look */
static void (*note)(const char *line);

bool interp_object_symbol(const struct interp_object *object, const char *name, uint64_t *address,
			  uint64_t *bytes)
{
	struct elf_dynamic_symbol symbol;

	if (dynamic.start != object->start &&
	    !elf_dynamic_open(&dynamic, object->start, object->end)) {
		dynamic.start = 0;
		return false;
	}
	if (!elf_dynamic_find(&dynamic, name, &symbol))
		return false;
	*address = symbol.address;
	*bytes = symbol.bytes;
	return true;
}

/* True for objects that need no test: they are not the program's. */
static bool is_ours_or_kernels(const struct module_known *known)
{
	return module_list_is_foreign(known->start) || known->entry->path[0] == '[' ||
	       known->entry->flags & SPOOL_MODULE_OURS;
}

static void test_marks(uint32_t number)
{
	const struct module_known *known = &state.modules->known[number];

	if (is_ours_or_kernels(known) || !elf_dynamic_open(&dynamic, known->start, known->end))
		return;
	for (unsigned i = 0; interp_runtimes[i] && state.candidates < CANDIDATES_MAX; i++) {
		struct elf_dynamic_symbol unused;

		if (!elf_dynamic_find(&dynamic, interp_runtimes[i]->mark, &unused))
			continue;
		if (slots[i].candidate == INHERITED && slots[i].found.start == known->start)
			slots[i].candidate = state.candidates;
		candidate[state.candidates++] = (struct candidate){ number, i, false };
	}
}

/* Returns true with the object of a candidate, if it is loaded. */
static bool is_loaded(const struct candidate *of, struct interp_object *object)
{
	const struct module_known *known = &state.modules->known[of->known];
	struct module_offset place;

	*object = (struct interp_object){ known->start, known->end, known->entry->bias };
	if (!atomic_load_explicit(&known->gone, memory_order_acquire))
		return true;
	if (!module_offset_of(known->start, known->entry->since, &place))
		return false;
	*object =
		(struct interp_object){ place.start, place.end, known->entry->bias - place.shift };
	return true;
}

static void say(const struct interp_runtime *runtime, const char *why)
{
	char bytes[LINE_BYTES];
	struct text line = text_into(bytes, sizeof(bytes));

	text_add_all(&line, runtime->name, " ", why, ": its functions are not shown", NULL);
	note(bytes);
}

/* True if the runtime accepts the object. */
static bool learn(const struct interp_runtime *runtime, const struct interp_object *object)
{
	const char *why = NULL;
	bool accepted;

	dynamic.start = 0; /* its copies may be old */
	accepted = runtime->look(object, &why);
	if (!accepted && why)
		say(runtime, why);
	return accepted;
}

static void drop(unsigned runtime)
{
	interp_runtimes[runtime]->forget();
	slots[runtime] = (struct slot){ 0 };
}

/* Drops an object that is gone. */
static void verify(unsigned runtime, bool changed)
{
	struct slot *slot = &slots[runtime];
	struct interp_object object;

	if (!slot->found.start || !changed)
		return;
	if (slot->candidate == INHERITED || !is_loaded(&candidate[slot->candidate], &object) ||
	    object.start != slot->found.start)
		drop(runtime);
}

/* Gives the object of a fork's parent to its runtime again. */
static void renew(unsigned runtime)
{
	struct slot *slot = &slots[runtime];
	struct interp_object object = { slot->found.start, slot->found.end, slot->bias };

	if (!slot->found.start || slot->is_ready)
		return;
	slot->is_ready = learn(interp_runtimes[runtime], &object);
	if (!slot->is_ready)
		drop(runtime);
}

static void choose(unsigned runtime)
{
	struct slot *slot = &slots[runtime];
	struct interp_object object;

	for (uint32_t i = 0; i < state.candidates && !slot->found.start; i++) {
		if (candidate[i].runtime != runtime || candidate[i].refused ||
		    !is_loaded(&candidate[i], &object))
			continue;
		candidate[i].refused = !learn(interp_runtimes[runtime], &object);
		if (candidate[i].refused)
			continue;
		slot->found = (struct interp_found){
			.runtime = interp_runtimes[runtime],
			.start = object.start,
			.end = object.end,
			.stays = state.modules->known[candidate[i].known].entry->flags &
				 SPOOL_MODULE_EXECUTABLE,
		};
		slot->bias = object.bias;
		slot->candidate = i;
		slot->is_ready = true;
	}
}

static void look(uint32_t count, uint32_t changes)
{
	uint32_t seen = atomic_load_explicit(&state.seen_count, memory_order_relaxed);
	bool changed = atomic_load_explicit(&state.seen_changes, memory_order_relaxed) != changes;
	uint32_t ready = 0, loose = 0;

	for (unsigned i = 0; interp_runtimes[i]; i++)
		verify(i, changed);
	for (uint32_t i = seen == UINT32_MAX ? 0 : seen; i < count; i++)
		test_marks(i);
	for (unsigned i = 0; interp_runtimes[i]; i++) {
		renew(i);
		choose(i);
		ready += slots[i].is_ready;
		loose += slots[i].is_ready && !slots[i].found.stays;
	}
	atomic_store_explicit(&state.loose, loose, memory_order_relaxed);
	atomic_store_explicit(&state.ready, ready, memory_order_relaxed);
	atomic_store_explicit(&state.seen_changes, changes, memory_order_relaxed);
	atomic_store_explicit(&state.seen_count, count, memory_order_relaxed);
}

static bool is_up_to_date(void)
{
	/* pairs with interp_unload_begin(): after `users` */
	return !atomic_load_explicit(&state.unloads, memory_order_seq_cst) &&
	       atomic_load_explicit(&state.seen_count, memory_order_relaxed) ==
		       atomic_load_explicit(&state.modules->known_count, memory_order_relaxed) &&
	       atomic_load_explicit(&state.seen_changes, memory_order_relaxed) ==
		       module_changes(state.modules);
}

static void try_look(void)
{
	uint32_t nobody = 0;

	if (atomic_load_explicit(&state.unloads, memory_order_relaxed))
		return;
	/* pairs with interp_find_leave() and with the end of the last look */
	if (!atomic_compare_exchange_strong_explicit(&state.users, &nobody, LOOKING,
						     memory_order_acquire, memory_order_relaxed))
		return;
	look(atomic_load_explicit(&state.modules->known_count, memory_order_acquire),
	     module_changes(state.modules));
	/* pairs with interp_find_enter(); a walk may have added itself meanwhile, in vain */
	atomic_fetch_sub_explicit(&state.users, LOOKING, memory_order_release);
}

bool interp_is_here(void)
{
	if (!state.modules)
		return false;
	if (!is_up_to_date())
		try_look();
	return atomic_load_explicit(&state.ready, memory_order_relaxed);
}

void interp_start(const struct modules *modules, void (*note_line)(const char *line))
{
	note = note_line;
	state.modules = interp_runtimes[0] ? modules : NULL;
	for (unsigned i = 0; interp_runtimes[i]; i++)
		if (interp_runtimes[i]->start)
			interp_runtimes[i]->start();
}

void interp_restart(void)
{
	bool kept;

	if (!state.modules)
		return;
	kept = !(atomic_load_explicit(&state.users, memory_order_relaxed) & LOOKING) &&
	       atomic_load_explicit(&state.seen_changes, memory_order_relaxed) ==
		       module_changes(state.modules);
	for (unsigned i = 0; interp_runtimes[i]; i++) {
		if (!slots[i].found.start)
			continue;
		if (!kept) {
			drop(i);
			continue;
		}
		interp_runtimes[i]->forget();
		slots[i].is_ready = false;
		slots[i].candidate = INHERITED;
	}
	state.candidates = 0;
	atomic_store_explicit(&state.users, 0, memory_order_relaxed);
	atomic_store_explicit(&state.ready, 0, memory_order_relaxed);
	atomic_store_explicit(&state.loose, 0, memory_order_relaxed);
	atomic_store_explicit(&state.unloads, 0, memory_order_relaxed);
	atomic_store_explicit(&state.seen_changes, 0, memory_order_relaxed);
	atomic_store_explicit(&state.seen_count, UINT32_MAX, memory_order_relaxed);
}

/* A walk that began before goes on to its end, which it reaches without this thread. */
void interp_unload_begin(void)
{
	const struct timespec wait = { .tv_nsec = WAIT_NS };

	atomic_fetch_add_explicit(&state.unloads, 1, memory_order_seq_cst);
	for (unsigned i = 0; i < WAITS_MAX && !sys_is_quiet(); i++) {
		/* pairs with interp_find_enter(): after `unloads`.  Acquire: what walks read */
		uint32_t users = atomic_load_explicit(&state.users, memory_order_seq_cst);

		if (!(users & ~LOOKING) ||
		    !atomic_load_explicit(&state.loose, memory_order_relaxed))
			return;
		sys_futex_wait(&state.users, users, &wait); /* a sleep: nobody wakes it */
	}
}

/* The child of a fork forgets that its parent was in between. */
void interp_unload_end(void)
{
	uint32_t unloads = atomic_load_explicit(&state.unloads, memory_order_relaxed);

	while (unloads &&
	       !atomic_compare_exchange_weak_explicit(&state.unloads, &unloads, unloads - 1,
						      memory_order_release, memory_order_relaxed))
		;
}

enum interp_find interp_find_enter(void)
{
	/* pairs with the end of a look, slots before users, and with interp_unload_begin() */
	uint32_t users = atomic_fetch_add_explicit(&state.users, 1, memory_order_seq_cst);

	if (!(users & LOOKING))
		return is_up_to_date() ? INTERP_FIND_SURE : INTERP_FIND_STALE;
	interp_find_leave();
	return INTERP_FIND_NONE;
}

void interp_find_leave(void)
{
	/* pairs with try_look(): reads of the slots before users */
	atomic_fetch_sub_explicit(&state.users, 1, memory_order_release);
}

const struct interp_found *interp_find_get(unsigned runtime)
{
	return slots[runtime].is_ready ? &slots[runtime].found : NULL;
}
