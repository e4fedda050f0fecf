/* The mappings that page faults hit, at the bounds of the table: what does not fit is unknown, and
 * never takes the name of what was there before. */

#include <string.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/cfi/unwind_range.h"
#include "runtime/sample/objects/mapping_table.h"
#include "runtime/sample/objects/module.h"
#include "tests/support/spool_own.h"
#include "tests/support/unit.h"

#define SIZE_BYTES (256 * SPOOL_CHUNK_BYTES)
#define PLACES	   0x200000000000ULL /* nothing of this process is there */
#define PAGE	   0x1000ULL
#define BYTES	   (3 * PAGE)
#define BPF_START  0xffffffffc0000000ULL

static struct modules *modules;
static struct unwind_stack stack;

static const uint64_t heap = SPOOL_PC_REGION + SPOOL_REGION_HEAP;
static const uint64_t anonymous = SPOOL_PC_REGION + SPOOL_REGION_ANONYMOUS;
static const uint64_t unknown = SPOOL_PC_REGION + SPOOL_REGION_UNKNOWN;
static const uint64_t some_file = SPOOL_PC_REGION + SPOOL_REGION_FILE;

static int find_nothing(void *address, struct dl_find_object *object)
{
	(void)address, (void)object;
	return -1;
}

UNIT(setup)
{
	if (spool_own_open(SIZE_BYTES))
		return -1;
	modules = module_start(&spool_own, "/bin/program");
	loader_find_object = find_nothing;
	mapping_table_start(modules);
	return 0;
}

static uint64_t place(unsigned number)
{
	return PLACES + number * 2 * BYTES;
}

static uint64_t at(uint64_t address)
{
	return mapping_table_frame(&stack, address);
}

/* Maps one place after the other until one is not taken.  Returns how many were. */
static unsigned fill(void)
{
	for (unsigned i = 0; i <= MAPPING_TABLE_MAX; i++) {
		mapping_table_note(place(i), BYTES, "[heap]");
		if (at(place(i)) == unknown)
			return i;
	}
	fail();
	return 0;
}

TEST(mappings_up_to_the_bound_are_known_and_further_ones_are_not)
{
	unsigned count = fill();

	assert_in_range(count, MAPPING_TABLE_MAX / 2, MAPPING_TABLE_MAX - 1); /* with its own */
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(at(place(i)), heap);
		assert_int_equal(at(place(i) + BYTES - 1), heap);
		assert_int_equal(at(place(i) + BYTES), unknown);
	}
	mapping_table_note(place(count), BYTES, "[heap]");
	assert_int_equal(at(place(count)), unknown);
}

TEST(a_full_table_takes_what_replaces_a_mapping)
{
	fill();
	mapping_table_note(place(7), BYTES, "");
	assert_int_equal(at(place(6)), heap);
	assert_int_equal(at(place(7)), anonymous);
	assert_int_equal(at(place(7) + BYTES - 1), anonymous);
	assert_int_equal(at(place(8)), heap);
	mapping_table_note(place(10), place(12) - place(10),
			   ""); /* two, for which there is one now */
	assert_int_equal(at(place(11)), anonymous);
	mapping_table_note(place(5), BYTES - PAGE,
			   ""); /* a part of one: as many as there is room */
	assert_int_equal(at(place(5)), anonymous);
	assert_int_equal(at(place(5) + BYTES - 1), heap);
}

TEST(a_full_table_takes_no_new_mapping_for_the_one_that_was_there)
{
	fill();
	mapping_table_note(place(2) + PAGE, PAGE, ""); /* in the middle */
	assert_int_equal(at(place(2)), heap);
	assert_int_equal(at(place(2) + PAGE), unknown);
	mapping_table_note(place(3), PAGE, ""); /* its beginning */
	assert_int_equal(at(place(3)), unknown);
	assert_int_equal(at(place(3) + PAGE), heap);
	mapping_table_note(place(4) + PAGE, 2 * PAGE, ""); /* its end */
	assert_int_equal(at(place(4)), heap);
	assert_int_equal(at(place(4) + PAGE), unknown);
	for (unsigned i = 5; i < 50; i++)
		assert_int_equal(at(place(i)), heap);
}

static void map_file(unsigned number)
{
	char name[] = "/lib/file.0000";

	for (unsigned i = sizeof(name) - 2, rest = number; rest; i--, rest /= 10)
		name[i] = (char)('0' + rest % 10);
	mapping_table_note(place(number), BYTES, name);
}

TEST(files_up_to_the_bound_have_a_frame_each)
{
	unsigned own;

	map_file(0);
	own = (unsigned)(at(place(0)) - SPOOL_PC_FILE); /* those of the start */
	assert_in_range(own, 1, MAPPING_TABLE_FILES / 2);
	for (unsigned i = 0; own + i < MAPPING_TABLE_FILES + 1; i++) {
		map_file(i);
		assert_int_equal(at(place(i)), own + i < MAPPING_TABLE_FILES
						       ? SPOOL_PC_FILE + own + i
						       : some_file);
	}
	map_file(0); /* known, as before */
	assert_int_equal(at(place(0)), SPOOL_PC_FILE + own);
}

/* Code in the kernel takes names from the same number of them. */
TEST(a_file_without_room_for_its_name_has_no_frame_of_its_own)
{
	unsigned own;

	for (unsigned i = 0; i < 3; i++)
		assert_true(module_note_named(modules, BPF_START + i * PAGE,
					      BPF_START + (i + 1) * PAGE, "bpf_prog", false));
	map_file(0);
	own = (unsigned)(at(place(0)) - SPOOL_PC_FILE);
	for (unsigned i = 0; own + i < MAPPING_TABLE_FILES; i++) {
		map_file(i);
		assert_int_equal(at(place(i)), own + i < MAPPING_TABLE_FILES - 3
						       ? SPOOL_PC_FILE + own + i
						       : some_file);
	}
}
