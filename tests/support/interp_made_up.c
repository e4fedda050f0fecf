/* The runtimes, the table of modules and the stack that unit tests of interpreters share. */
#include "tests/support/interp_made_up.h"

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/objects/module.h"
#include "tests/support/spool_own.h"
#include "tests/support/unit.h"

#define SIZE_BYTES (64 * SPOOL_CHUNK_BYTES)
#define DEPTH	   INTERP_MADE_UP_DEPTH
#define STACK	   0x7ff000

struct interp_made_up interp_made_up;

static void *memory;

static bool look(const struct interp_object *object, const char **why)
{
	uint64_t address, bytes;

	interp_made_up.looks++;
	assert_true(interp_object_symbol(object, "gnu_get_libc_version", &address, &bytes) ||
		    interp_object_symbol(object, "_cmocka_run_group_tests", &address, &bytes));
	assert_true(address >= object->start && address < object->end);
	assert_false(interp_object_symbol(object, "no_such_symbol", &address, &bytes));
	*why = interp_made_up.refusal;
	return !interp_made_up.refusal;
}

static enum interp_outcome walk(unsigned runtime, const struct interp_stack *stack,
				struct interp_places *places)
{
	interp_made_up.walks++;
	assert_int_equal(stack->depth, DEPTH);
	for (unsigned i = 0; i < interp_made_up.finds[runtime].count; i++)
		if (!interp_place_add(places, interp_made_up.finds[runtime].place[i].native,
				      interp_made_up.finds[runtime].place[i].pc))
			break;
	return interp_made_up.finds[runtime].outcome;
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
	interp_made_up.forgets++;
}

const struct interp_runtime interp_made_up_libc = {
	.name = "Libc",
	.mark = "gnu_get_libc_version",
	.look = look,
	.walk = walk_libc,
	.forget = forget,
};

const struct interp_runtime interp_made_up_cmocka = {
	.name = "Cmocka",
	.mark = "_cmocka_run_group_tests",
	.look = look,
	.walk = walk_cmocka,
	.forget = forget,
};

void interp_made_up_note(const char *line)
{
	strncpy(interp_made_up.noted, line, sizeof(interp_made_up.noted) - 1);
}

void interp_made_up_modules(void)
{
	interp_made_up.modules = module_start(&spool_own, "/bin/program");
}

UNIT(setup)
{
	if (spool_own_open(SIZE_BYTES))
		return -1;
	module_offset_set(&(struct module_offset){ .start = 1, .end = 2 });
	interp_restart(); /* forgets all after such a change */
	memset(&interp_made_up, 0, sizeof(interp_made_up));
	interp_made_up_modules();
	interp_made_up.in_libc = (uint64_t)(uintptr_t)loader_libc_symbol("gnu_get_libc_version");
	interp_made_up.in_cmocka =
		(uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests");
	interp_made_up.finds[0].outcome = interp_made_up.finds[1].outcome = INTERP_MERGED;
	free(memory);
	memory = calloc(1, interp_work_bytes(4 * DEPTH));
	for (unsigned i = 0; i < DEPTH; i++)
		interp_made_up.pcs[i] = 0x1000 + i;
	return !memory;
}

void interp_made_up_start(void)
{
	module_note_all(interp_made_up.modules);
	interp_start(interp_made_up.modules, interp_made_up_note);
	interp_is_here();
}

void interp_made_up_place(unsigned runtime, uint32_t native, uint64_t pc)
{
	unsigned count = interp_made_up.finds[runtime].count++;

	interp_made_up.finds[runtime].place[count] = (struct interp_place){ native, pc };
}

void interp_made_up_libc_runs(unsigned place)
{
	interp_made_up.pcs[place] = interp_made_up.in_libc;
	interp_made_up_start();
}

struct interp_made_up_merged interp_made_up_merge(unsigned room)
{
	struct interp_work *work = interp_work_start(memory, room);
	uint64_t sps[DEPTH + 1];
	struct interp_stack stack = {
		.pcs = interp_made_up.pcs, .sps = sps, .depth = DEPTH, .complete = true
	};
	struct interp_made_up_merged merged;

	for (unsigned i = 0; i <= DEPTH; i++)
		sps[i] = STACK + 16 * i;
	stack.range = (struct unwind_range){ .low = STACK, .last = 511 };
	merged.depth = interp_merge(&stack, work, &merged.outcome);
	merged.pcs = work->merged;
	merged.cut = work->cut;
	return merged;
}
