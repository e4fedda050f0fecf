/* The functions of interpreters in native stacks: each stands on the leaf's side of the frame that
 * runs it, and an object is trusted as long as it is the one that was looked at.  The interpreters
 * here are libc and cmocka. */

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/spool/module.h"
#include "runtime/sample/spool/module_place.h"
#include "runtime/sample/spool/module_table.h"
#include "runtime/sample/spool/spool_alloc.h"
#include "runtime/sample/sys/sys.h"
#include "tests/support/unit.h"

#define SIZE_BYTES (64 * SPOOL_CHUNK_BYTES)
#define DEPTH	   6
#define GIVEN_MAX  16
#define F(id)	   (SPOOL_PC_CODE + (id))

static struct spool_alloc spool;
static struct modules *modules;
static void *memory;
static char directory[sizeof("/tmp/flametrap-merge-XXXXXX")];
static char noted[128];
static const char *refusal;
static unsigned looks, forgets, walks;
static uint64_t in_libc, in_cmocka;
static uint64_t pcs[DEPTH], sps[DEPTH + 1];

/* What the two runtimes find. */
static struct {
	struct interp_place place[GIVEN_MAX];
	unsigned count;
	enum interp_outcome outcome;
} gives[2];

static bool look(const struct interp_object *object, const char **why)
{
	uint64_t address, bytes;

	looks++;
	assert_true(interp_object_symbol(object, "gnu_get_libc_version", &address, &bytes) ||
		    interp_object_symbol(object, "_cmocka_run_group_tests", &address, &bytes));
	assert_true(address >= object->start && address < object->end);
	assert_false(interp_object_symbol(object, "no_such_symbol", &address, &bytes));
	*why = refusal;
	return !refusal;
}

static enum interp_outcome give(unsigned runtime, struct interp_reader *reader,
				struct interp_places *places)
{
	walks++;
	assert_false(reader->quiet);
	reader->quiet = true;
	for (unsigned i = 0; i < gives[runtime].count; i++)
		if (!interp_place_add(places, gives[runtime].place[i].native,
				      gives[runtime].place[i].pc))
			break;
	return gives[runtime].outcome;
}

static enum interp_outcome walk_libc(const struct interp_stack *stack, struct interp_reader *reader,
				     struct interp_places *places)
{
	assert_int_equal(stack->depth, DEPTH);
	return give(0, reader, places);
}

static enum interp_outcome walk_cmocka(const struct interp_stack *stack,
				       struct interp_reader *reader, struct interp_places *places)
{
	assert_int_equal(stack->depth, DEPTH);
	return give(1, reader, places);
}

static void forget(void)
{
	forgets++;
}

static const struct interp_runtime libc = { "Libc", "gnu_get_libc_version", NULL, look, walk_libc,
					    forget };
static const struct interp_runtime cmocka = { "Cmocka",	   "_cmocka_run_group_tests",
					      NULL,	   look,
					      walk_cmocka, forget };

/* In place of those that flametrap knows. */
const struct interp_runtime *const interp_runtimes[INTERP_RUNTIMES_MAX + 1] = { &libc, &cmocka };

static void note(const char *line)
{
	strncpy(noted, line, sizeof(noted) - 1);
}

int unit_setup(void **state)
{
	(void)state;
	memory_start();
	strcpy(directory, "/tmp/flametrap-merge-XXXXXX");
	memset(&spool, 0, sizeof(spool));
	if (!mkdtemp(directory) || spool_alloc_create(&spool, directory, SIZE_BYTES, 1, 1))
		return -1;
	module_place_set(&(struct module_place){ .start = 1, .end = 2 });
	interp_restart(); /* which forgets all after such a change */
	modules = module_start(&spool, "/bin/program");
	memory = calloc(1, interp_work_bytes(4 * DEPTH));
	in_libc = (uint64_t)(uintptr_t)loader_libc_symbol("gnu_get_libc_version");
	in_cmocka = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests");
	memset(gives, 0, sizeof(gives));
	gives[0].outcome = gives[1].outcome = INTERP_MERGED;
	memset(noted, 0, sizeof(noted));
	refusal = NULL;
	looks = forgets = walks = 0;
	for (unsigned i = 0; i < DEPTH; i++)
		pcs[i] = 0x1000 + i;
	for (unsigned i = 0; i <= DEPTH; i++)
		sps[i] = 0x7ff000 + 16 * i;
	return 0;
}

int unit_teardown(void **state)
{
	(void)state;
	free(memory);
	spool_alloc_unlink(&spool);
	spool_alloc_abandon(&spool);
	return rmdir(directory);
}

static void start(void)
{
	module_note_all(modules);
	interp_start(modules, note);
}

static void place(unsigned runtime, uint32_t native, uint64_t pc)
{
	gives[runtime].place[gives[runtime].count++] = (struct interp_place){ native, pc };
}

/* A merge with room for that many frames, and what it came to. */
struct merged {
	enum interp_outcome outcome;
	unsigned depth;
	const uint64_t *pcs;
	bool cut;
};

static struct merged merge(unsigned room)
{
	struct interp_work *work = interp_work_start(memory, room);
	struct interp_stack stack = { .pcs = pcs, .sps = sps, .depth = DEPTH, .complete = true };
	struct merged merged;

	stack.range = (struct unwind_range){ .low = 0x7ff000, .last = 511 };
	merged.depth = interp_merge(&stack, work, &merged.outcome);
	merged.pcs = work->merged;
	merged.cut = work->cut;
	return merged;
}

TEST(a_function_stands_next_to_its_frame_on_the_leaf_s_side)
{
	const uint64_t right[] = { F(1),    0x1000, 0x1001, F(2), F(3),
				   in_libc, 0x1003, 0x1004, F(4), 0x1005 };
	struct merged merged;

	pcs[2] = in_libc;
	start();
	assert_true(interp_is_here());
	place(0, 0, F(1));
	place(0, 2, F(2));
	place(0, 2, F(3));
	place(0, 5, F(4));
	merged = merge(2 * DEPTH);
	assert_int_equal(merged.outcome, INTERP_MERGED);
	assert_int_equal(merged.depth, 10);
	assert_memory_equal(merged.pcs, right, sizeof(right));
	assert_false(merged.cut);
}

TEST(what_has_no_room_is_cut_at_the_outermost_end)
{
	const uint64_t right[] = { F(1), 0x1000, F(2), F(3), F(4), 0x1001 };
	struct merged merged;

	pcs[2] = in_libc;
	start();
	place(0, 0, F(1));
	for (unsigned i = 2; i < 10; i++)
		place(0, i < 5 ? 1 : 3, F(i));
	merged = merge(DEPTH);
	assert_int_equal(merged.depth, DEPTH);
	assert_memory_equal(merged.pcs, right, sizeof(right));
	assert_true(merged.cut);
}

TEST(two_interpreters_may_share_a_stack)
{
	const uint64_t right[] = { 0x1000, F(1), F(11),	    in_libc, F(12),
				   0x1002, F(2), in_cmocka, 0x1004,  0x1005 };
	struct merged merged;

	pcs[1] = in_libc;
	pcs[3] = in_cmocka;
	start();
	place(0, 1, F(1));
	place(0, 3, F(2));
	place(1, 1, F(11));
	place(1, 2, F(12));
	gives[1].outcome = INTERP_PENDING;
	merged = merge(2 * DEPTH);
	assert_int_equal(merged.outcome, INTERP_PENDING);
	assert_int_equal(merged.depth, 10);
	assert_memory_equal(merged.pcs, right, sizeof(right));
}

TEST(a_stack_without_a_frame_of_an_interpreter_stays)
{
	start();
	place(0, 1, F(1));
	assert_int_equal(merge(2 * DEPTH).outcome, INTERP_NATIVE);
	assert_int_equal(walks, 0);
}

TEST(a_stack_stays_if_its_functions_are_not_certain)
{
	static const enum interp_outcome outcomes[] = { INTERP_NATIVE, INTERP_NO_STATE,
							INTERP_UNMERGED };
	struct merged merged;

	pcs[2] = in_libc;
	start();
	for (unsigned i = 0; i < 3; i++) {
		gives[0].count = 0;
		gives[0].outcome = outcomes[i];
		if (i)
			place(0, 1, F(1));
		merged = merge(2 * DEPTH);
		assert_int_equal(merged.outcome, outcomes[i]);
		assert_int_equal(merged.depth, 0);
	}
}

TEST(places_that_are_no_frames_or_not_in_order_are_dropped)
{
	pcs[2] = in_libc;
	start();
	place(0, DEPTH, F(1));
	assert_int_equal(merge(2 * DEPTH).outcome, INTERP_UNMERGED);
	gives[0].count = 0;
	place(0, 3, F(1));
	place(0, 2, F(2));
	assert_int_equal(merge(2 * DEPTH).outcome, INTERP_UNMERGED);
}

TEST(an_interpreter_that_is_not_known_is_said_once)
{
	pcs[2] = in_libc;
	refusal = "9.9 is not known";
	start();
	assert_string_equal(noted, "Cmocka 9.9 is not known: its functions are not shown");
	assert_int_equal(looks, 2);
	assert_false(interp_is_here());
	assert_int_equal(merge(2 * DEPTH).depth, 0);
	assert_int_equal(looks, 2);
}

TEST(an_object_that_a_sample_meets_later_is_looked_at)
{
	pcs[2] = in_libc;
	interp_start(modules, note);
	place(0, 2, F(1));
	assert_false(interp_is_here());
	loader_start();
	if (!loader_find_object)
		skip();
	assert_true(module_note(modules, in_libc));
	assert_int_equal(merge(2 * DEPTH).depth, 0); /* nobody has looked yet */
	assert_true(interp_is_here());
	assert_int_equal(merge(2 * DEPTH).depth, DEPTH + 1);
	assert_true(interp_is_here());
	assert_int_equal(looks, 1);
}

static struct module_known *known_at(uint64_t pc)
{
	for (uint32_t i = 0; i < modules->known_count; i++)
		if (pc >= modules->known[i].start && pc < modules->known[i].end)
			return &modules->known[i];
	fail();
	return NULL;
}

static bool is_none(uint64_t start_address, void *context)
{
	(void)start_address;
	(void)context;
	return false;
}

TEST(an_object_that_is_unloaded_is_not_trusted)
{
	pcs[2] = in_libc;
	start();
	place(0, 2, F(1));
	assert_int_equal(merge(2 * DEPTH).depth, DEPTH + 1);
	known_at(in_libc)->gone = 1;
	module_place_keep(is_none, NULL); /* as a sweep does */
	assert_int_equal(merge(2 * DEPTH).depth, 0);
	assert_int_equal(walks, 1);
	assert_true(interp_is_here()); /* the other one */
	assert_int_equal(forgets, 1);
	assert_int_equal(merge(2 * DEPTH).depth, 0);
	assert_int_equal(walks, 1);
}

TEST(an_object_that_is_loaded_elsewhere_is_looked_at_again)
{
	struct module_known *known;
	struct module_place elsewhere;

	pcs[2] = in_libc;
	start();
	place(0, 2, F(1));
	/* the table of modules says that libc was first at another address */
	known = known_at(in_libc);
	elsewhere = (struct module_place){ .start = known->start,
					   .end = known->end,
					   .shift = 1 << 30,
					   .generation = known->entry->since };
	known->start += 1 << 30;
	known->end += 1 << 30;
	known->entry->bias += 1 << 30;
	known->gone = 1;
	module_place_set(&elsewhere);
	assert_true(interp_is_here());
	assert_int_equal(forgets, 0);
	assert_int_equal(looks, 2);
	module_place_keep(is_none, NULL);
	assert_true(interp_is_here());
	assert_int_equal(forgets, 1);
	assert_int_equal(merge(2 * DEPTH).depth, 0);
	module_place_set(&elsewhere);
	assert_true(interp_is_here());
	assert_int_equal(looks, 3);
	assert_int_equal(merge(2 * DEPTH).depth, DEPTH + 1);
}

TEST(the_child_of_a_fork_looks_at_its_parent_s_objects_again)
{
	pcs[2] = in_libc;
	start();
	place(0, 2, F(1));
	interp_restart();
	modules = module_start(&spool, "/bin/program");
	assert_int_equal(forgets, 2);
	assert_int_equal(looks, 2);
	assert_true(interp_is_here());
	assert_int_equal(looks, 4);
	assert_int_equal(merge(2 * DEPTH).depth, DEPTH + 1);
	module_note_all(modules);
	assert_true(interp_is_here());
	assert_int_equal(looks, 4);
	known_at(in_libc)->gone = 1;
	module_place_keep(is_none, NULL);
	assert_true(interp_is_here());
	assert_int_equal(forgets, 3);
	assert_int_equal(merge(2 * DEPTH).depth, 0);
}

TEST(a_child_does_not_trust_what_its_parent_had_unloaded)
{
	start();
	module_place_set(&(struct module_place){ .start = 1, .end = 2 });
	interp_restart();
	modules = module_start(&spool, "/bin/program");
	assert_int_equal(forgets, 2);
	assert_false(interp_is_here());
	assert_int_equal(looks, 2);
}

TEST(a_thread_that_may_make_no_system_call_is_left_alone)
{
	pcs[2] = in_libc;
	start();
	place(0, 2, F(1));
	sys_keep_quiet(true);
	assert_int_equal(merge(2 * DEPTH).depth, 0);
	sys_keep_quiet(false);
	assert_int_equal(merge(2 * DEPTH).depth, DEPTH + 1);
}
