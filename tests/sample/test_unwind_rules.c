/* A rule is one word with all its parts, and the table never returns a wrong one.  A row is used
 * for its own addresses and for no other. */

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/rule_question.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/unwind/unwind.h"
#include "tests/support/unit.h"

#define SOME_RULE rule_make(RULE_BASE + 7, 24, -2, RULE_SLOT_SAME)
#define CODE	  0x7f1234560000ULL

TEST(a_rule_holds_the_largest_and_smallest_of_everything)
{
	const int64_t offsets[] = { 0, 8, -8, RULE_OFFSET_MAX, RULE_OFFSET_MIN };
	const int64_t slots[] = {
		0, -2, RULE_SLOT_MIN, RULE_SLOT_MAX, RULE_SLOT_SAME, RULE_SLOT_LOST
	};

	for (unsigned i = 0; i < 5; i++)
		for (unsigned j = 0; j < 6; j++) {
			uint64_t rule =
				rule_make(RULE_FABRICATED, offsets[i], slots[j], slots[5 - j]);

			assert_int_equal(rule_type(rule), RULE_FABRICATED);
			assert_int_equal(rule_offset(rule), offsets[i]);
			assert_int_equal(rule_frame(rule), slots[j]);
			assert_int_equal(rule_other(rule), slots[5 - j]);
		}
}

TEST(what_does_not_fit_a_rule_is_refused)
{
	assert_false(rule_offset_fits(RULE_OFFSET_MAX + 1L));
	assert_false(rule_offset_fits(RULE_OFFSET_MIN - 1L));
	assert_false(rule_slot_fits(12));
	assert_false(rule_slot_fits(8L * (RULE_SLOT_MAX + 1)));
	assert_false(rule_slot_fits(8L * RULE_SLOT_LOST));
	assert_true(rule_slot_fits(8L * RULE_SLOT_MIN));
}

TEST(the_table_finds_what_was_put_and_nothing_else)
{
	assert_int_equal(rule_table_open(6), 0);
	rule_table_put(0x1000, 0, SOME_RULE);
	assert_int_equal(rule_table_find(0x1000, 0), SOME_RULE);
	assert_int_equal(rule_table_find(0x1001, 0), RULE_MISSING);
	assert_int_equal(rule_table_find(0x1000, 1), RULE_MISSING);
}

TEST(a_forgotten_rule_is_missing)
{
	assert_int_equal(rule_table_open(6), 0);
	rule_table_put(0x1000, rule_table_generation(), SOME_RULE);
	rule_table_forget();
	assert_int_equal(rule_table_find(0x1000, rule_table_generation()), RULE_MISSING);
}

/* The key has 16 bits of the generation: when they come round, the table must be empty. */
TEST(a_rule_does_not_come_back_when_generations_wrap)
{
	assert_int_equal(rule_table_open(6), 0);
	rule_table_put(0x1000, rule_table_generation(), SOME_RULE);
	for (unsigned i = 0; i < 65536; i++)
		rule_table_forget();
	assert_int_equal(rule_table_find(0x1000, rule_table_generation()), RULE_MISSING);
}

/* Rules differ in few bits, and so do the addresses that share a bucket: were the check no more
 * than address ^ rule, half an entry of one would pass for the other's. */
TEST(half_an_entry_is_missing)
{
	struct rule_entry *bucket;
	unsigned tried = 0;

	assert_int_equal(rule_table_open(3), 0);
	bucket = rule_table_bucket(0x1000);
	for (int64_t offset = 32; offset < 4096; offset += 8) {
		uint64_t other = rule_make(RULE_BASE + 7, offset, -2, RULE_SLOT_SAME);
		uint64_t address = 0x1000 ^ SOME_RULE ^ other;

		if (rule_table_bucket(address) != bucket)
			continue;
		rule_table_put(0x1000, 0, SOME_RULE);
		atomic_store(&bucket[0].rule, other);
		assert_int_equal(rule_table_find(address, 0), RULE_MISSING);
		assert_int_equal(rule_table_find(0x1000, 0), RULE_MISSING);
		atomic_store(&bucket[0].rule, 0);
		tried++;
	}
	assert_true(tried > 50);
}

TEST(a_full_bucket_gives_up_one_rule_for_a_new_one)
{
	uint64_t addresses[5];
	unsigned count = 0;
	unsigned kept = 0;

	assert_int_equal(rule_table_open(6), 0);
	for (uint64_t at = 1; count < 5; at++)
		if (rule_table_bucket(at) == rule_table_bucket(1))
			addresses[count++] = at;
	for (unsigned i = 0; i < 5; i++)
		rule_table_put(addresses[i], 0, SOME_RULE);
	for (unsigned i = 0; i < 5; i++)
		kept += rule_table_find(addresses[i], 0) == SOME_RULE;
	assert_int_equal(kept, 4);
	assert_int_equal(rule_table_find(addresses[4], 0), SOME_RULE);
}

TEST(a_made_up_value_says_where_it_came_from)
{
	struct rule_value value =
		rule_question_sort(0x8000000000000000ULL + (8ULL << 40) + (1ULL << 32) - 16);

	assert_int_equal(value.origin, RULE_FROM_REGISTER);
	assert_int_equal(value.index, 7);
	assert_int_equal(value.delta, -16);
	assert_int_equal(rule_question_sort(0x7fff12345678).origin, RULE_FROM_ELSEWHERE);
	assert_int_equal(rule_question_sort(0).origin, RULE_FROM_ELSEWHERE);
	assert_int_equal(rule_question_sort(UINT64_MAX).origin, RULE_FROM_ELSEWHERE);
}

TEST(the_rule_of_a_functions_first_instruction_is_asked_right)
{
	const uint64_t here = (uint64_t)the_rule_of_a_functions_first_instruction_is_asked_right;
	struct cfi_row row;
	uint64_t rule;
	bool passing;

	if (unwind_start())
		skip();
	rule = rule_ask(here, &row, &passing);
	assert_int_equal(row.low, here);
	assert_true(row.high > here);
	assert_int_equal(rule_type(rule), RULE_BASE + UNW_REG_SP);
	assert_int_equal(rule_frame(rule), RULE_SLOT_SAME);
	assert_int_equal(rule_other(rule), RULE_SLOT_SAME);
	assert_int_equal(rule_ask((uint64_t)state, &row, &passing), RULE_MISSING);
	assert_int_equal(row.low, row.high);
}

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
