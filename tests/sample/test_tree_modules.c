/* Calling-context trees: a node belongs to the object that lay at its address when it was
 * sampled, even if another object takes the place later and the tree of its thread is merged
 * then. */

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/objects/module_table.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/tree/tree.h"
#include "tests/support/spool_own.h"
#include "tests/support/unit.h"

#define SIZE_BYTES   (1024 * SPOOL_CHUNK_BYTES)
#define OBJECT_START 0x7f0000000000ULL
#define OBJECT_BYTES 0x10000ULL
#define KERNEL_START 0xffffffffc0000000ULL

static struct modules *modules;
static struct tree tree, other;
static struct tree_step memo[2][8];
static _Atomic uint64_t first[2];
static const char *loaded; /* what the loader has at loaded_at; NULL: nothing */
static uint64_t loaded_at;
static unsigned long long unloads;

static int find_loaded(void *address, struct dl_find_object *object)
{
	if (!loaded || (uint64_t)address - loaded_at >= OBJECT_BYTES)
		return -1;
	memset(object, 0, sizeof(*object));
	object->dlfo_map_start = (void *)loaded_at;
	object->dlfo_map_end = (void *)(loaded_at + OBJECT_BYTES);
	return 0;
}

/* Another object than the one at OBJECT_START is always there. */
WRAP(int, dl_iterate_phdr, int (*call)(struct dl_phdr_info *, size_t, void *), void *context)
{
	struct dl_phdr_info info = { .dlpi_name = "", .dlpi_subs = unloads };

	return call(&info, sizeof(info), context);
}

WRAP(bool, loader_describe, const struct dl_find_object *object, uint64_t *bias, char *name,
     size_t size)
{
	*bias = (uint64_t)object->dlfo_map_start;
	strncpy(name, loaded, size);
	return true;
}

UNIT(setup)
{
	if (spool_own_open(SIZE_BYTES))
		return -1;
	spool_own.header->counter_count = 1;
	spool_own.header->node_bytes = sizeof(struct spool_node) + sizeof(struct spool_weight);
	memset(&tree, 0, sizeof(tree));
	memset(&other, 0, sizeof(other));
	tree.path = memo[0];
	other.path = memo[1];
	tree.path_max = other.path_max = 8;
	first[0] = first[1] = 0;
	loaded = NULL;
	loaded_at = OBJECT_START;
	modules = module_start(&spool_own, "/bin/program");
	loader_find_object = find_loaded;
	tree_start(&tree, &spool_own, modules, &first[0]);
	tree_start(&other, &spool_own, modules, &first[1]);
	return 0;
}

UNIT(teardown)
{
	tree_free(&tree);
	tree_free(&other);
	return spool_own_close();
}

static const struct spool_node *sampled(struct tree *to, uint64_t pc)
{
	bool overflowed = false;
	uint32_t node = tree_path(to, 0, &pc, 1, &overflowed);

	tree_weigh(to, node, 0, 1, 1);
	return spool_alloc_at(&spool_own, (uint64_t)node * SPOOL_NODE_UNIT);
}

static const struct spool_module *module_number(unsigned number)
{
	return spool_own_entry(spool_own.header->first_module, number, sizeof(struct spool_module));
}

static uint64_t modules_count(void)
{
	return spool_own_count(spool_own.header->first_module, SPOOL_CHUNK_MODULES);
}

static void unload(void)
{
	loaded = NULL;
	unloads++;
}

TEST(the_same_address_in_the_place_of_an_unloaded_object_is_another)
{
	const struct spool_node *one, *two;

	loaded = "/one.so";
	one = sampled(&tree, OBJECT_START + 8);
	unload();
	assert_true(module_sweep(modules));
	loaded = "/two.so";
	two = sampled(&tree, OBJECT_START + 8); /* and no other address before */
	assert_ptr_not_equal(one, two);
	assert_int_equal(one->weight[0].samples, 1);
	assert_true(two->generation >= module_number(1)->since);
	assert_string_equal(module_number(1)->path, "/two.so");
}

TEST(an_unload_is_noticed_though_no_sample_met_the_object)
{
	assert_false(module_sweep(modules));
	loaded = "/lib/one.so";
	unload();
	assert_true(module_sweep(modules));
	assert_int_equal(spool_own.header->first_module, 0);
}

TEST(the_first_sample_of_an_object_is_the_object_s_own)
{
	const struct spool_node *one, *two;

	loaded = "/lib/one.so";
	one = sampled(&tree, OBJECT_START + 0x100);
	unload();
	assert_true(module_sweep(modules));
	assert_false(module_sweep(modules));
	loaded = "/lib/two.so";
	two = sampled(&tree, OBJECT_START + 0x200);
	assert_string_equal(module_number(0)->path, "/lib/one.so");
	assert_string_equal(module_number(1)->path, "/lib/two.so");
	assert_true(one->generation < module_number(0)->until);
	assert_true(two->generation >= module_number(0)->until);
	assert_true(two->generation >= module_number(1)->since);
}

TEST(a_merge_after_its_object_was_replaced_leaves_it_its_name)
{
	const struct spool_node *merged;
	uint64_t lost = 0;

	assert_true(module_note_named(modules, KERNEL_START, KERNEL_START + 64, "one", false));
	sampled(&other, KERNEL_START + 8);
	assert_true(module_note_named(modules, KERNEL_START, KERNEL_START + 64, "one", true));
	assert_true(module_note_named(modules, KERNEL_START, KERNEL_START + 64, "two", false));
	tree_merge(&tree, &other, &lost);
	merged = spool_alloc_at(&spool_own, first[0] + SPOOL_CHUNK_HEAD);
	assert_int_equal(merged->pc, KERNEL_START + 8);
	assert_int_equal(merged->weight[0].samples, 1);
	assert_true(merged->generation < module_number(0)->until);
	assert_int_equal(lost, 0);
	assert_true(sampled(&tree, KERNEL_START + 8)->generation >= module_number(1)->since);
	assert_int_equal(merged->weight[0].samples, 1);
}

/* Of a run-time compiler, for instance. */
TEST(code_of_no_object_in_the_place_of_an_unloaded_one_is_not_its_own)
{
	const struct spool_node *own, *other_code;

	loaded = "/one.so";
	own = sampled(&tree, OBJECT_START + 8);
	unload();
	assert_true(module_sweep(modules));
	other_code = sampled(&tree, OBJECT_START + 8);
	assert_ptr_not_equal(own, other_code);
	assert_true(own->generation < module_number(0)->until);
	assert_true(other_code->generation >= module_number(0)->until);
	assert_ptr_equal(sampled(&tree, OBJECT_START + 8), other_code);
	loaded = "/one.so"; /* again */
	sampled(&tree, OBJECT_START + 16);
	assert_ptr_equal(sampled(&tree, OBJECT_START + 8), own);
}

/* No two are the same. */
static void load(unsigned number)
{
	static char name[32];

	snprintf(name, sizeof(name), "/object.%u", number);
	loaded = name;
}

/* Each object is followed by code of none in its place, and one object stays between them. */
static void free_ranges(unsigned count)
{
	const struct spool_node *staying;
	uint64_t between = OBJECT_START + 5 * OBJECT_BYTES;

	loaded = "/staying.so";
	loaded_at = between;
	staying = sampled(&tree, between + 8);
	for (unsigned i = 0; i < count; i++) {
		loaded_at = OBJECT_START + (2 * i + (i > 2)) * OBJECT_BYTES;
		load(i);
		sampled(&tree, loaded_at + 8 * i);
		unload();
		assert_true(module_sweep(modules));
		sampled(&tree, loaded_at + 8 * i);
	}
	loaded = "/staying.so"; /* as it was all the time, for the loader */
	loaded_at = between;
	assert_ptr_equal(sampled(&tree, between + 8), staying);
}

TEST(code_of_no_object_is_told_apart_at_any_number_of_places)
{
	for (unsigned count = MODULE_FREED_MAX - 1; count < MODULE_FREED_MAX + 4; count++) {
		unit_teardown(NULL);
		unit_setup(NULL);
		free_ranges(count);
		assert_int_equal(modules_count(), count + 1);
		loaded = NULL;
		for (unsigned i = 0; i < count; i++) {
			uint64_t at = OBJECT_START + (2 * i + (i > 2)) * OBJECT_BYTES;

			assert_true(sampled(&tree, at + 8 * i)->generation >=
				    module_number(i + 1)->until);
		}
	}
}

TEST(objects_beyond_the_bound_of_the_table_have_no_name)
{
	const struct spool_node *node;

	for (unsigned i = 0; i <= MODULE_KNOWN_MAX; i++) {
		load(i);
		loaded_at = OBJECT_START + i * OBJECT_BYTES;
		node = sampled(&tree, loaded_at + 8);
		assert_int_equal(modules_count(), i < MODULE_KNOWN_MAX ? i + 1 : i);
		assert_int_equal(node->pc, loaded_at + 8);
	}
	for (unsigned i = 0; i < MODULE_KNOWN_MAX; i++)
		assert_int_equal(module_number(i)->start, OBJECT_START + i * OBJECT_BYTES);
}
