/*
 * Made-up runtimes, whose interpreters are libc and cmocka.  A case begins without a known object,
 * and the runtimes find nothing.
 */
#ifndef TESTS_SAMPLE_INTERP_MADE_UP_H
#define TESTS_SAMPLE_INTERP_MADE_UP_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/interp/interp.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/objects/module.h"
#include "tests/support/spool_own.h"
#include "tests/support/unit.h"

#define SIZE_BYTES (64 * SPOOL_CHUNK_BYTES)
#define DEPTH	   6 /* of the one native stack, whose addresses are 0x1000, 0x1001, … */
#define PLACES	   16
#define STACK	   0x7ff000

static struct {
	struct modules *modules;
	uint64_t in_libc, in_cmocka; /* addresses of code */
	uint64_t pcs[DEPTH];
	const char *refusal; /* what both runtimes say of an object; NULL: they accept it */
	unsigned looks, forgets, walks;
	char noted[128];
	struct { /* what the two runtimes find */
		struct interp_place place[PLACES];
		unsigned count;
		enum interp_outcome outcome;
	} finds[2];
} made_up;

static void *memory;

static bool look(const struct interp_object *object, const char **why)
{
	uint64_t address, bytes;

	made_up.looks++;
	assert_true(interp_object_symbol(object, "gnu_get_libc_version", &address, &bytes) ||
		    interp_object_symbol(object, "_cmocka_run_group_tests", &address, &bytes));
	assert_true(address >= object->start && address < object->end);
	assert_false(interp_object_symbol(object, "no_such_symbol", &address, &bytes));
	*why = made_up.refusal;
	return !made_up.refusal;
}

static enum interp_outcome walk(unsigned runtime, const struct interp_stack *stack,
				struct interp_places *places)
{
	made_up.walks++;
	assert_int_equal(stack->depth, DEPTH);
	for (unsigned i = 0; i < made_up.finds[runtime].count; i++)
		if (!interp_place_add(places, made_up.finds[runtime].place[i].native,
				      made_up.finds[runtime].place[i].pc))
			break;
	return made_up.finds[runtime].outcome;
}

static enum interp_outcome walk_libc(const struct interp_stack *stack, struct interp_reader *reader,
				     struct interp_places *places)
{
	(void)reader;
	return walk(0, stack, places);
}

static enum interp_outcome walk_cmocka(const struct interp_stack *stack,
				       struct interp_reader *reader, struct interp_places *places)
{
	(void)reader;
	return walk(1, stack, places);
}

static void forget(void)
{
	made_up.forgets++;
}

static const struct interp_runtime libc = {
	.name = "Libc",
	.mark = "gnu_get_libc_version",
	.look = look,
	.walk = walk_libc,
	.forget = forget,
};

static const struct interp_runtime cmocka = {
	.name = "Cmocka",
	.mark = "_cmocka_run_group_tests",
	.look = look,
	.walk = walk_cmocka,
	.forget = forget,
};

/* In place of those that flametrap knows. */
const struct interp_runtime *const interp_runtimes[INTERP_RUNTIMES_MAX + 1] = { &libc, &cmocka };

/* Receives the line of a refusal. */
static void note(const char *line)
{
	strncpy(made_up.noted, line, sizeof(made_up.noted) - 1);
}

/* Begin a table of modules anew, as the child of a fork does. */
static void begin_modules(void)
{
	made_up.modules = module_start(&spool_own, "/bin/program");
}

UNIT(setup)
{
	if (spool_own_open(SIZE_BYTES))
		return -1;
	module_offset_set(&(struct module_offset){ .start = 1, .end = 2 });
	interp_restart(); /* forgets all after such a change */
	memset(&made_up, 0, sizeof(made_up));
	begin_modules();
	made_up.in_libc = (uint64_t)(uintptr_t)loader_libc_symbol("gnu_get_libc_version");
	made_up.in_cmocka = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests");
	made_up.finds[0].outcome = made_up.finds[1].outcome = INTERP_MERGED;
	free(memory);
	memory = calloc(1, interp_work_bytes(4 * DEPTH));
	for (unsigned i = 0; i < DEPTH; i++)
		made_up.pcs[i] = 0x1000 + i;
	return !memory;
}

/* Start as a session does, with all loaded objects, up to the first sample. */
static void start(void)
{
	module_note_all(made_up.modules);
	interp_start(made_up.modules, note);
	interp_is_here();
}

/* Let a runtime find one more function. */
static void place(unsigned runtime, uint32_t native, uint64_t pc)
{
	unsigned count = made_up.finds[runtime].count++;

	made_up.finds[runtime].place[count] = (struct interp_place){ native, pc };
}

/* The same when libc's code is at that place of the stack. */
static void libc_runs_at(unsigned at)
{
	made_up.pcs[at] = made_up.in_libc;
	start();
}

/* What a merge of the stack came to. */
struct merged {
	enum interp_outcome outcome;
	unsigned depth;
	const uint64_t *pcs;
	bool cut;
};

/* Merge the stack, with room for that many frames, at most four times its depth. */
static struct merged merge(unsigned room)
{
	struct interp_work *work = interp_work_start(memory, room);
	uint64_t sps[DEPTH + 1];
	struct interp_stack stack = {
		.pcs = made_up.pcs, .sps = sps, .depth = DEPTH, .complete = true
	};
	struct merged merged;

	for (unsigned i = 0; i <= DEPTH; i++)
		sps[i] = STACK + 16 * i;
	stack.range = (struct unwind_range){ .low = STACK, .last = 511 };
	merged.depth = interp_merge(&stack, work, &merged.outcome);
	merged.pcs = work->merged;
	merged.cut = work->cut;
	return merged;
}

#endif
