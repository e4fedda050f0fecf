/* Sets of labels: each once, with the latest value of each key, in the table and in the spool. */

#include <stdio.h>
#include <string.h>

#include "runtime/sample/store/script_table.h"
#include "runtime/sample/labels/label_table.h"
#include "runtime/sample/labels/labels.h"
#include "runtime/spool/format_log.h"
#include "tests/support/spool_own.h"
#include "tests/support/unit.h"

#define SPOOL_BYTES (256 * SPOOL_CHUNK_BYTES)
#define TEXT_MAX    4096

static bool lacking;

UNIT(setup)
{
	if (spool_own_open(SPOOL_BYTES))
		return -1;
	script_table_start(&spool_own);
	label_table_start(&spool_own);
	return 0;
}

static void again(void)
{
	assert_int_equal(spool_own_close(), 0);
	assert_int_equal(unit_setup(NULL), 0);
}

static struct label_text text(const char *of)
{
	uint32_t count = (uint32_t)strlen(of);

	return (struct label_text){ of, count, script_table_hash(of, count) };
}

static uint32_t with(uint32_t set, const char *key, const char *value)
{
	struct label_text key_text = text(key), value_text = text(value);

	return label_table_make(set, &key_text, &value_text, &lacking);
}

static bool find(uint32_t set, const char *key, const char *value, uint32_t *found)
{
	struct label_text key_text = text(key), value_text = text(value);

	return label_table_find(set, &key_text, &value_text, found);
}

static void add_text(char *line, struct spool_text of)
{
	for (uint32_t i = 0; i < of.bytes; i++)
		strncat(line, spool_own_entry(spool_own.header->first_text, of.at + i, 1), 1);
}

/* Returns a set as it stands in the spool: "key=value key=value", the last label first. */
static const char *stored(uint32_t set)
{
	static char line[TEXT_MAX];
	uint32_t number = label_table_number(set);

	*line = '\0';
	while (number) {
		const struct spool_label *label =
			spool_own_entry(spool_own.header->first_label, number - 1, sizeof(*label));

		add_text(line, label->key);
		strcat(line, "=");
		add_text(line, label->value);
		assert_true(label->below < number);
		number = label->below;
		if (number)
			strcat(line, " ");
	}
	return line;
}

TEST(a_set_has_its_labels_and_the_latest_value_of_each)
{
	uint32_t set = with(0, "request", "GET /");

	assert_string_equal(stored(set), "request=GET /");
	set = with(set, "tenant", "a");
	assert_string_equal(stored(set), "tenant=a request=GET /");
	set = with(set, "request", "POST /");
	assert_string_equal(stored(set), "request=POST / tenant=a");
	set = with(set, "tenant", "");
	assert_string_equal(stored(set), "request=POST /");
	assert_int_equal(with(set, "request", ""), 0);
	assert_false(lacking);
}

TEST(equal_sets_are_one_and_are_found_without_being_made)
{
	uint32_t base = with(0, "request", "x"), found;
	uint32_t set = with(base, "step", "parse");

	assert_int_equal(with(base, "step", "parse"), set);
	assert_int_equal(with(set, "step", "parse"), set);
	assert_int_equal(with(set, "request", "x"), set);
	assert_true(find(base, "step", "parse", &found));
	assert_int_equal(found, set);
	assert_false(find(base, "step", "parsed", &found));
	assert_false(find(set, "stepparse", "", &found));
}

TEST(a_key_that_is_not_set_can_be_removed)
{
	uint32_t set = with(0, "request", "x");

	assert_int_equal(with(set, "other", ""), set);
	assert_int_equal(with(0, "other", ""), 0);
	assert_false(lacking);
}

TEST(labels_beyond_the_most_of_a_set_are_left_out)
{
	char key[] = "key 00";
	uint32_t set = 0, last;

	for (unsigned i = 0; i < SPOOL_LABEL_SET_MAX; i++) {
		snprintf(key, sizeof(key), "key%02u", i);
		set = with(set, key, "v");
		assert_false(lacking);
	}
	last = with(set, "one more", "v");
	assert_true(lacking);
	assert_int_equal(last, set);
	assert_memory_equal(stored(with(set, "key00", "w")), "key00=w key31=v", 15);
	assert_false(lacking);
}

TEST(what_finds_no_room_is_left_out_and_the_rest_stays)
{
	char value[] = "value 00000000";
	uint32_t base = with(0, "tenant", "a"), set = base, tries = 0;

	while (!lacking) {
		assert_true(tries < SPOOL_BYTES / sizeof(struct spool_label));
		snprintf(value, sizeof(value), "value %08u", tries++);
		set = with(base, "id", value);
	}
	assert_int_equal(set, base);
	assert_in_range(tries, SPOOL_BYTES / 8 / 64, SPOOL_BYTES / 8 / 16);
	set = with(base, "id", "value 00000007");
	assert_false(lacking);
	assert_string_equal(stored(set), "id=value 00000007 tenant=a");
	assert_int_equal(with(set, "id", "another"), base);
	assert_true(lacking);
}

TEST(a_new_spool_receives_the_sets_that_are_still_used)
{
	uint32_t base = with(0, "request", "x"), set = with(base, "step", "parse"), found;

	again();
	assert_int_equal(label_table_number(set), 0);
	assert_true(label_table_has(set));
	assert_int_equal(label_table_store(set, true), 2);
	assert_string_equal(stored(set), "step=parse request=x");
	assert_true(find(base, "step", "parse", &found));
	assert_int_equal(with(base, "step", "parse"), set);
	assert_false(label_table_has(set + 100000));
}

TEST(a_thread_carries_the_number_of_its_set_and_whether_a_label_is_lacking)
{
	struct labels carried = { 0 };
	struct label_text key = text("request"), value = text("y"), none = text("");
	uint32_t before;

	labels_own = 0;
	labels_begin(&carried);
	assert_int_equal(labels_now(&carried), 0);
	labels_make(&carried, &key, &value);
	before = labels_own;
	assert_string_equal(stored(before), "request=y");
	assert_int_equal(labels_now(&carried), label_table_number(before));
	assert_false(labels_are_lacking(&carried));
	labels_make(NULL, &key, &none);
	assert_int_equal(labels_own, 0);
	assert_true(labels_restore(&carried, before));
	assert_true(labels_change(&carried, &key, &none));
	assert_int_equal(labels_now(&carried), 0);
	assert_false(labels_restore(&carried, before + 100000));
	assert_int_equal(labels_own, 0);
}

TEST(a_fork_s_child_carries_the_labels_of_its_thread)
{
	struct labels carried = { 0 };
	struct label_text key = text("request"), value = text("z");

	labels_own = 0;
	labels_make(&carried, &key, &value);
	again();
	labels_begin(&carried);
	assert_int_equal(labels_now(&carried), 0);
	assert_int_equal(spool_own.header->first_label, 0); /* it may never take a sample */
	labels_catch_up(&carried);
	assert_int_equal(labels_now(&carried), 1);
	assert_false(labels_are_lacking(&carried));
	assert_string_equal(stored(labels_own), "request=z");
	labels_own = 0;
}
