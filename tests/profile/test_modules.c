/* An address belongs to the object that was mapped there when it was sampled. */
#include "runtime/profile/symbols/modules.h"
#include "runtime/spool/format.h"
#include "tests/support/unit.h"

static struct spool_module make(uint64_t start, uint64_t end, uint32_t since, uint32_t until,
				const char *path)
{
	struct spool_module module = { .start = start, .end = end, .since = since, .until = until };

	snprintf(module.path, sizeof(module.path), "%s", path);
	return module;
}

static struct modules *modules;

UNIT(teardown)
{
	modules_free(modules);
	return 0;
}

static void assert_found(uint64_t pc, uint32_t generation, const char *path)
{
	const struct spool_module *module = modules_find(modules, pc, generation);

	assert_string_equal(module ? module->path : "none", path);
}

TEST(addresses_between_modules_belong_to_none)
{
	struct spool_module list[] = {
		make(100, 200, 0, SPOOL_UNTIL_FOREVER, "a"),
		make(300, 400, 0, SPOOL_UNTIL_FOREVER, "b"),
	};

	modules = modules_new(list, 2);
	assert_found(99, 0, "none");
	assert_found(100, 0, "a");
	assert_found(199, 0, "a");
	assert_found(200, 0, "none");
	assert_found(399, 7, "b");
}

TEST(a_small_module_in_a_long_gone_large_one_is_found)
{
	struct spool_module list[] = {
		make(0, 1000, 0, 1, "large"),
		make(100, 200, 1, SPOOL_UNTIL_FOREVER, "small"),
	};

	modules = modules_new(list, 2);
	assert_found(150, 0, "large");
	assert_found(150, 1, "small");
	assert_found(900, 0, "large");
	assert_found(900, 1, "none");
}

/* Two plugins take turns at one place; each generation names the one that was there. */
TEST(thousands_of_reloads_are_told_apart)
{
	enum { RELOADS = 5000 };
	struct spool_module *list = calloc(RELOADS, sizeof(*list));

	for (uint32_t i = 0; i < RELOADS; i++)
		list[i] = make(100, 200, i, i + 1, i % 2 ? "odd" : "even");
	modules = modules_new(list, RELOADS);
	for (uint32_t i = 0; i < RELOADS; i++)
		assert_found(150, i, i % 2 ? "odd" : "even");
	assert_found(150, RELOADS, "none");
	free(list);
}
