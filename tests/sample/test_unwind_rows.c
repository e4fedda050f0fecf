/* A row is used for its own addresses and for no other. */

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_table.h"
#include "tests/support/unit.h"

#define CODE 0x7f1234560000ULL

static uint64_t some_rule(uint64_t number)
{
	return rule_make(RULE_BASE + 7, (int64_t)number * 8, RULE_SLOT_SAME, RULE_SLOT_SAME);
}

static void put(uint64_t address, uint64_t generation, uint64_t low, uint64_t high, uint64_t number)
{
	const struct cfi_row row = { low, high };

	rule_row_put(address, generation, &row, some_rule(number));
}

TEST(a_row_answers_for_all_its_addresses_and_none_beside)
{
	const uint64_t low = CODE + 0x3fd, high = low + 0x1234;

	rule_row_start();
	put(low + 0x800, 3, low, high, 1);
	assert_int_equal(rule_row_find(low - 1, 3), RULE_MISSING);
	for (uint64_t at = low; at < high; at++)
		assert_int_equal(rule_row_find(at, 3), some_rule(1));
	assert_int_equal(rule_row_find(high, 3), RULE_MISSING);
}

TEST(a_row_of_another_generation_is_missing)
{
	rule_row_start();
	put(CODE, 3, CODE, CODE + 64, 1);
	assert_int_equal(rule_row_find(CODE, 2), RULE_MISSING);
	assert_int_equal(rule_row_find(CODE, 4), RULE_MISSING);
	assert_int_equal(rule_row_find(CODE, 3 + 65536), RULE_MISSING);
	put(CODE + 64, 4, CODE + 64, CODE + 128, 2);
	assert_int_equal(rule_row_find(CODE, 3), RULE_MISSING);
	assert_int_equal(rule_row_find(CODE, 4), RULE_MISSING);
	assert_int_equal(rule_row_find(CODE + 64, 4), some_rule(2));
}

/* An unverified row is not used: there is no row, or it is not that of the address. */
TEST(what_is_no_row_of_the_address_is_not_kept)
{
	rule_row_start();
	put(CODE, 0, CODE, CODE, 1);
	put(CODE, 0, 0, 0, 1);
	put(CODE, 0, CODE + 1, CODE + 64, 1);
	put(CODE + 64, 0, CODE, CODE + 64, 1);
	for (uint64_t at = CODE - 64; at < CODE + 128; at++)
		assert_int_equal(rule_row_find(at, 0), RULE_MISSING);
	assert_int_equal(rule_row_find(0, 0), RULE_MISSING);
}

TEST(of_an_endless_row_what_is_around_the_address_is_kept)
{
	const uint64_t bytes = 10 << 20;

	for (uint64_t at = CODE; at < CODE + bytes; at += bytes / 64) {
		rule_row_start();
		put(at, 0, CODE, CODE + bytes, 1);
		assert_int_equal(rule_row_find(at, 0), some_rule(1));
		assert_int_equal(rule_row_find(CODE - 1, 0), RULE_MISSING);
		assert_int_equal(rule_row_find(CODE + bytes, 0), RULE_MISSING);
	}
	put(CODE + bytes - 1, 0, CODE, CODE + bytes, 1);
	assert_int_equal(rule_row_find(CODE + bytes - 1, 0), some_rule(1));
	assert_int_equal(rule_row_find(CODE + bytes, 0), RULE_MISSING);
}

/* More than there is room for: some are given up, none is wrong, and the last is there. */
TEST(rows_that_push_out_others_are_as_right)
{
	unsigned kept = 0;

	rule_row_start();
	for (uint64_t i = 0; i < 20000; i++) {
		put(CODE + i * 40, 0, CODE + i * 40, CODE + i * 40 + 40, i);
		assert_int_equal(rule_row_find(CODE + i * 40 + 39, 0), some_rule(i));
	}
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t rule = rule_row_find(CODE + i * 40 + 17, 0);

		assert_true(rule == RULE_MISSING || rule == some_rule(i));
		kept += rule != RULE_MISSING;
	}
	assert_true(kept > 0 && kept <= RULE_ROW_BYTES / 16);
}
