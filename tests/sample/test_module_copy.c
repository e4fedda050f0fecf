/* Code that is mapped a second time is noted for the spool once a sample has met it: the part that
 * the object has as code, with the object's path, and never twice. */

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/sample/objects/module.h"
#include "runtime/sample/tree/module_copy.h"
#include "runtime/sample/sys/proc.h"
#include "tests/support/spool_own.h"
#include "tests/support/unit.h"

#define SIZE_BYTES (512 * SPOOL_CHUNK_BYTES)
#define PAGE	   4096UL
#define FAR_AWAY   0x10000000ULL

static struct modules *modules;
static struct mapping code; /* this test's own */

static bool find_code(const struct mapping *mapping, void *unused)
{
	uint64_t here = (uint64_t)(uintptr_t)find_code;

	(void)unused;
	if (here >= mapping->start && here < mapping->end)
		code = *mapping;
	return true;
}

UNIT(setup)
{
	static char text[MAPPING_LINE_BYTES];

	if (spool_own_open(SIZE_BYTES))
		return -1;
	modules = module_start(&spool_own, "/bin/program");
	module_note_all(modules);
	mapping_each(MAPPING_OWN, text, find_code, NULL);
	return 0;
}

static uint64_t count(void)
{
	return spool_own_count(spool_own.header->first_module, SPOOL_CHUNK_MODULES);
}

/* The module around an address, or NULL. */
static const struct spool_module *module_at(uint64_t address)
{
	for (uint64_t i = 0; i < count(); i++) {
		const struct spool_module *module =
			spool_own_entry(spool_own.header->first_module, i, sizeof(*module));

		if (address >= module->start && address < module->end)
			return module;
	}
	return NULL;
}

static char *map_file(uint64_t offset, size_t bytes, int protection)
{
	int file = open("/proc/self/exe", O_RDONLY);
	char *copy = mmap(NULL, bytes, protection, MAP_PRIVATE, file, (off_t)offset);

	assert_ptr_not_equal(copy, MAP_FAILED);
	close(file);
	return copy;
}

TEST(own_code_is_found_in_the_mappings)
{
	assert_true(code.executable);
	assert_int_not_equal(code.inode, 0);
	assert_int_equal(code.offset % PAGE, 0);
	assert_true(code.end > code.start + PAGE);
}

/* One page before the code in the file, and one of code. */
TEST(what_both_have_as_code_is_noted_as_the_same_object)
{
	char *copy = map_file(code.offset - PAGE, 2 * PAGE, PROT_READ | PROT_EXEC);
	uint64_t second = (uint64_t)(uintptr_t)copy + PAGE;
	uint64_t before = count();
	const struct spool_module *original = module_at(code.start), *module;

	module_note(modules, second + 8);
	module_copy_note(modules);
	module = module_at(second);
	assert_non_null(module);
	assert_int_equal(module->start, second);
	assert_int_equal(module->end, second + PAGE);
	assert_int_equal(second - module->bias, code.start - original->bias);
	assert_string_equal(module->path, original->path);
	assert_int_equal(module->build_id_bytes, original->build_id_bytes);
	assert_memory_equal(module->build_id, original->build_id, original->build_id_bytes);
	assert_int_equal(original->flags & SPOOL_MODULE_EXECUTABLE, SPOOL_MODULE_EXECUTABLE);
	assert_int_equal(module->flags & SPOOL_MODULE_EXECUTABLE, 0);
	assert_null(module_at((uint64_t)(uintptr_t)copy));
	assert_int_equal(count(), before + 1);
	munmap(copy, 2 * PAGE);
}

TEST(data_and_what_no_sample_met_are_not_noted)
{
	char *data = map_file(code.offset, PAGE, PROT_READ);
	char *unmet = map_file(code.offset, PAGE, PROT_READ | PROT_EXEC);
	uint64_t before = count();

	module_copy_note(modules);
	assert_int_equal(count(), before);
	module_note(modules, FAR_AWAY);
	module_copy_note(modules);
	assert_null(module_at((uint64_t)(uintptr_t)data));
	assert_non_null(module_at((uint64_t)(uintptr_t)unmet));
	assert_int_equal(count(), before + 1);
	munmap(data, PAGE);
	munmap(unmet, PAGE);
}

TEST(each_block_of_addresses_is_asked_about_once)
{
	assert_false(unmapped_code_is_near(0, UINT64_MAX));
	module_note(modules, FAR_AWAY);
	assert_true(unmapped_code_is_near(FAR_AWAY, FAR_AWAY + 1));
	assert_false(unmapped_code_is_near(2 * FAR_AWAY, 3 * FAR_AWAY));
	module_copy_note(modules);
	assert_false(unmapped_code_is_near(0, UINT64_MAX));
	module_note(modules, FAR_AWAY + 8);
	assert_false(unmapped_code_is_near(0, UINT64_MAX));
	module_note(modules, 2 * FAR_AWAY);
	assert_true(unmapped_code_is_near(2 * FAR_AWAY, 3 * FAR_AWAY));
	for (uint64_t i = 3; i < 1000; i++) /* more than are kept */
		module_note(modules, i * FAR_AWAY);
	module_copy_note(modules);
	assert_false(unmapped_code_is_near(0, UINT64_MAX));
}

TEST(copies_up_to_the_bound_are_noted)
{
	static char *copy[MODULE_COPY_MAX + 1];

	for (unsigned copies = MODULE_COPY_MAX - 1; copies <= MODULE_COPY_MAX + 1; copies++) {
		uint64_t before;

		spool_own_close();
		unit_setup(NULL);
		for (unsigned i = 0; i < copies; i++)
			copy[i] = map_file(code.offset, PAGE, PROT_READ | PROT_EXEC);
		before = count();
		module_note(modules, FAR_AWAY);
		module_copy_note(modules);
		assert_int_equal(count() - before,
				 copies < MODULE_COPY_MAX ? copies : MODULE_COPY_MAX);
		for (unsigned i = 0; i < copies; i++)
			munmap(copy[i], PAGE);
	}
}
