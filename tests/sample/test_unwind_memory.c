/* Walks read only memory that is known to be mapped.  Damaged unwind information counts as
 * missing. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/cfi/unwind_range.h"
#include "runtime/sample/elf/loader.h"
#include "tests/support/unit.h"

#define PAGE 4096UL

static struct unwind_range range;
static struct unwind_entry entry;

static const stack_t no_signal_stack = { .ss_flags = SS_DISABLE };
static const struct unwind_stack no_stack = { 0 };

/* `pages` readable pages between two that are not. */
static uint64_t island(unsigned pages)
{
	char *memory =
		mmap(NULL, (pages + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(mprotect(memory + PAGE, pages * PAGE, PROT_READ | PROT_WRITE), 0);
	return (uint64_t)memory + PAGE;
}

static bool pick(uint64_t sp, const struct unwind_stack *stack)
{
	return unwind_range_pick(&range, sp, &no_signal_stack, stack);
}

TEST(a_range_holds_its_words_and_nothing_beside_them)
{
	uint64_t low = island(2);
	struct unwind_stack stack = { .low = low, .high = low + 2 * PAGE };

	assert_true(pick(low + 256, &stack));
	assert_true(unwind_range_holds(&range, low + 256 - UNWIND_RED_ZONE));
	assert_true(unwind_range_holds(&range, low + 2 * PAGE - 8));
	assert_false(unwind_range_holds(&range, low + 256 - UNWIND_RED_ZONE - 8));
	assert_false(unwind_range_holds(&range, low + 2 * PAGE));
	assert_false(unwind_range_holds(&range, low + 2 * PAGE - 7));
	assert_false(unwind_range_holds(&range, low + 257));
	assert_false(unwind_range_holds(&range, 0));
	assert_false(unwind_range_holds(&range, UINT64_MAX));
	assert_false(unwind_range_holds(&range, UINT64_MAX - 7));
	assert_false(unwind_range_admits(&range, low + 2 * PAGE));
}

TEST(the_red_zone_does_not_reach_below_the_stack)
{
	uint64_t low = island(1);
	struct unwind_stack stack = { .low = low, .high = low + PAGE };

	assert_true(pick(low + 8, &stack));
	assert_int_equal(range.low, low);
	assert_false(unwind_range_holds(&range, low - 8));
}

static bool is_resident(uint64_t page)
{
	unsigned char resident = 0;

	assert_int_equal(mincore((void *)page, PAGE, &resident), 0);
	return resident & 1;
}

TEST(of_a_thread_s_stack_no_page_is_touched_that_the_thread_has_not_come_to)
{
	uint64_t low = island(40), high = low + 40 * PAGE;
	_Atomic uint64_t seen = high - PAGE;
	struct unwind_stack stack = { .low = low - PAGE, .high = high, .seen = &seen };

	assert_true(pick(high - 256, &stack));
	assert_int_equal(seen, high - PAGE);
	assert_true(pick(low + 30 * PAGE + 256, &stack));
	assert_int_equal(seen, low + 30 * PAGE);
	assert_true(unwind_range_holds(&range, high - 8));
	assert_int_equal(range.probes_left, 0);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(is_resident(low + i * PAGE), i == 30);
	assert_true(pick(low + 8, &stack));
	assert_int_equal(range.low, low);
	assert_int_equal(seen, low);
	assert_true(unwind_range_holds(&range, high - 8));
	assert_false(pick(low - 8, &stack));
	assert_int_equal(seen, low);
}

/* The bound that was computed may lie below the guard pages, in something else. */
TEST(what_lies_below_a_thread_s_guard_pages_is_not_its_stack)
{
	uint64_t low = island(20), high = low + 20 * PAGE;
	_Atomic uint64_t seen = high - PAGE;
	struct unwind_stack stack = { .low = low, .high = high, .seen = &seen };

	assert_int_equal(mprotect((void *)(low + PAGE), PAGE, PROT_NONE), 0);
	assert_true(pick(low + 1024, &stack));
	assert_false(unwind_range_holds(&range, low + PAGE));
	assert_false(unwind_range_admits(&range, low + PAGE));
	assert_int_equal(seen, high - PAGE);
	assert_true(pick(low + 2 * PAGE, &stack));
	assert_int_equal(range.low, low + 2 * PAGE);
	assert_true(unwind_range_holds(&range, high - 8));
	assert_int_equal(seen, low + 2 * PAGE);
}

TEST(the_signal_stack_of_the_context_is_a_range)
{
	uint64_t low = island(1);
	stack_t signal_stack = { .ss_sp = (void *)low, .ss_size = PAGE };

	assert_true(unwind_range_pick(&range, low + 1024, &signal_stack, &no_stack));
	assert_true(unwind_range_holds(&range, low + PAGE - 8));
	assert_int_equal(range.probes_left, 0);
}

TEST(an_unknown_stack_is_probed_page_by_page_up_to_its_end)
{
	uint64_t low = island(3);

	assert_true(pick(low + 1024, &no_stack));
	assert_true(unwind_range_holds(&range, low + PAGE - 8));
	assert_false(unwind_range_holds(&range, low + PAGE));
	assert_true(unwind_range_admits(&range, low + 3 * PAGE - 8));
	assert_false(unwind_range_admits(&range, low + 3 * PAGE));
	assert_false(unwind_range_admits(&range, low));
}

TEST(no_more_than_64_pages_are_probed_at_once)
{
	uint64_t low = island(70);

	assert_true(pick(low + 8, &no_stack));
	assert_false(unwind_range_admits(&range, low + 65 * PAGE));
	assert_true(unwind_range_admits(&range, low + 65 * PAGE - 8));
	assert_true(unwind_range_admits(&range, low + 65 * PAGE));
}

TEST(no_more_than_2048_pages_are_probed)
{
	uint64_t low = island(2050);

	assert_true(pick(low + 8, &no_stack));
	for (unsigned pages = 40; pages < 2048; pages += 40)
		assert_true(unwind_range_admits(&range, low + pages * PAGE - 8));
	assert_true(unwind_range_admits(&range, low + 2048 * PAGE - 8));
	assert_false(unwind_range_admits(&range, low + 2048 * PAGE));
}

TEST(stack_pointers_to_nowhere_are_no_range)
{
	const uint64_t pointers[] = {
		0, 8, 65528, 1ULL << 63, UINT64_MAX, UINT64_MAX - 127, island(1) - 8
	};

	for (unsigned i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++)
		assert_false(pick(pointers[i], &no_stack));
}

TEST(the_calling_threads_stack_contains_what_is_on_it)
{
	struct unwind_stack stack;

	unwind_range_start();
	assert_int_equal(unwind_stack_of_thread(&stack), 0);
	assert_true((uint64_t)__builtin_frame_address(0) > stack.low);
	assert_true((uint64_t)__builtin_frame_address(0) < stack.high);
	assert_true(memory_is_readable(stack.high - 1));
}

TEST(the_list_of_objects_says_what_the_c_library_says)
{
	int (*find)(void *address, struct dl_find_object *result) =
		(int (*)(void *, struct dl_find_object *))dlsym(RTLD_DEFAULT, "_dl_find_object");
	const uint64_t addresses[] = { (uint64_t)island, (uint64_t)memcpy,
				       (uint64_t)dlsym,	 getauxval(AT_SYSINFO_EHDR) + 64,
				       (uint64_t)&state, 0 };
	struct dl_find_object wanted;
	struct loader_range object;

	if (!find)
		skip();
	loader_snapshot_take();
	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		bool there = !find((void *)addresses[i], &wanted);

		assert_int_equal(loader_snapshot_find(addresses[i], &object), there);
		if (!there)
			continue;
		assert_int_equal(object.start, (uint64_t)wanted.dlfo_map_start);
		assert_int_equal(object.eh_frame, (uint64_t)wanted.dlfo_eh_frame);
		assert_true(object.end <= (uint64_t)wanted.dlfo_map_end);
		assert_true((uint64_t)wanted.dlfo_map_end - object.end < PAGE);
	}
}

/* A module with one segment: a table of .eh_frame_hdr with two functions. */
struct table {
	uint8_t encodings[4];
	int32_t frames;
	uint32_t count;
	int32_t rows[2][2];
};

static struct unwind_module module;

static void make_module(const struct table *table)
{
	uint64_t at = island(1);

	module = (struct unwind_module){
		.start = at, .end = at + PAGE, .header = at, .segments = 1
	};
	memcpy((void *)at, table, sizeof(*table));
	module.segment[0].low = at;
	module.segment[0].high = at + PAGE;
}

/* The function of an address begins and ends there; 0: there is none, or no end. */
static void assert_entry(uint64_t address, uint64_t start, uint64_t next)
{
	assert_int_equal(unwind_module_entry(&module, module.start + address, &entry), start != 0);
	if (start)
		assert_int_equal(entry.start, module.start + start);
	assert_int_equal(entry.next, next ? module.start + next : 0);
}

static bool has_entry(void)
{
	return unwind_module_entry(&module, module.start + 0x150, &entry);
}

static const struct table sound = {
	.encodings = { 1, 0x1b, 0x03, 0x3b },
	.count = 2,
	.rows = { { 0x100, 0x800 }, { 0x200, 0x900 } },
};

TEST(the_entry_of_an_address_is_the_last_that_starts_below_it)
{
	make_module(&sound);
	assert_entry(0xff, 0, 0x100);
	assert_entry(0x100, 0x100, 0x200);
	assert_entry(0x1ff, 0x100, 0x200);
	assert_entry(0x900, 0x200, 0);
}

TEST(a_damaged_table_is_none)
{
	for (unsigned i = 0; i < 5; i++) {
		struct table table = sound;

		if (i < 4)
			table.encodings[i] = 0x55;
		else
			table.count = 1000; /* more than the segment holds */
		make_module(&table);
		assert_false(has_entry());
	}
}

TEST(a_table_outside_the_module_is_none)
{
	make_module(&sound);
	module.header = module.end - 8;
	assert_false(has_entry());
	module.header = module.end + 4 * PAGE;
	assert_false(has_entry());
	module.header = 0;
	assert_false(has_entry());
}

TEST(a_word_across_the_end_of_a_segment_is_not_read)
{
	uint64_t word;

	make_module(&sound);
	assert_true(unwind_module_read(&module, module.end - 8, &word));
	assert_false(unwind_module_read(&module, module.end - 7, &word));
	assert_false(unwind_module_read(&module, module.end, &word));
	assert_false(unwind_module_read(&module, module.start - 1, &word));
}

/* A kept copy of a writable segment would hide what is written there. */
TEST(code_is_read_in_segments_that_nobody_writes)
{
	static char written[] = "code";
	const void *function = (const void *)code_is_read_in_segments_that_nobody_writes;
	char read[sizeof(written)];

	unwind_module_start();
	assert_true(unwind_module_code(read, (uint64_t)function, sizeof(read)));
	assert_memory_equal(read, function, sizeof(read));
	assert_false(unwind_module_code(read, (uint64_t)written, sizeof(read)));
	assert_false(unwind_module_code(read, (uint64_t)read, sizeof(read)));
}
