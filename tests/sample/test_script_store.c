/* Functions find room again once the spool can grow, and none once their share is used up. */

#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/store/script_table.h"
#include "tests/support/spool_own.h"
#include "tests/support/unit.h"

#define SPOOL_BYTES (64 * SPOOL_CHUNK_BYTES)
#define TRIES_MAX   1000000

UNIT(setup)
{
	if (spool_own_open(SPOOL_BYTES))
		return -1;
	script_table_start(&spool_own);
	return 0;
}

static uint32_t add(const char *name)
{
	struct code_key key = { .address = (uint64_t)(uintptr_t)name };
	struct script_new code = { .language = SPOOL_LANGUAGE_PHP };

	code.name = (struct script_text){ key.address, (uint32_t)strlen(name), CODE_BYTES };
	return script_table_add(&key, &code);
}

TEST(a_spool_that_cannot_grow_for_a_time_takes_new_functions_later)
{
	uint32_t tries = 1;

	spool_own.refused = 1; /* as after an attempt on a full file system */
	assert_int_equal(add("now"), 0);
	assert_false(script_store_is_full());
	while (!add("now"))
		assert_true(tries++ < TRIES_MAX);
	assert_int_equal(add("now"), 1);
	assert_int_equal(add("later"), 2);
}

TEST(a_share_that_is_used_up_is_full_until_a_new_spool_begins)
{
	static const char bytes[SPOOL_CHUNK_BYTES];
	struct spool_text text;
	uint64_t hash = 1;

	while (script_store_text(bytes, sizeof(bytes), hash, &text))
		assert_true(hash++ < SPOOL_BYTES / SPOOL_CHUNK_BYTES);
	assert_true(script_store_is_full());
	assert_int_equal(add("name"), 0);
	spool_own_close();
	assert_int_equal(unit_setup(NULL), 0);
	assert_false(script_store_is_full());
	assert_int_equal(add("name"), 1);
}
