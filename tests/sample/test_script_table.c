/* Functions of interpreters: each content is in the spool once, under one number, whatever the
 * address, the number of threads or the room.  They find room again once the spool can grow, and
 * none once their share is used up. */

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/store/script_table.h"
#include "tests/support/spool_own.h"
#include "tests/support/system.h"
#include "tests/support/unit.h"

#define SPOOL_BYTES (64UL << 20)
#define SMALL_BYTES (64 * SPOOL_CHUNK_BYTES)
#define UNREADABLE  4096UL
#define THREADS	    4
#define ROUNDS	    3000
#define TRIES_MAX   1000000
#define LONGEST	    70000

UNIT(setup)
{
	if (spool_own_open(SPOOL_BYTES))
		return -1;
	script_table_start(&spool_own);
	return 0;
}

static void begin_small(void)
{
	spool_own_close();
	assert_int_equal(spool_own_open(SMALL_BYTES), 0);
	script_table_start(&spool_own);
}

static struct script_text text_of(const char *bytes)
{
	return (struct script_text){ (uint64_t)(uintptr_t)bytes, (uint32_t)strlen(bytes),
				     CODE_BYTES };
}

static struct script_new new_of(const char *name, uint32_t first_line)
{
	return (struct script_new){ .language = SPOOL_LANGUAGE_PYTHON,
				    .lines = SPOOL_LINES_PEP657,
				    .first_line = first_line,
				    .name = text_of(name),
				    .qualified = text_of("Class.name"),
				    .file = text_of("/usr/lib/file.py"),
				    .table = text_of("table") };
}

static struct code_key key_of(uint64_t address)
{
	return (struct code_key){ .address = address, .print = { 1, 2, 3 } };
}

static uint32_t add(uint64_t address, const struct script_new *code)
{
	struct code_key key = key_of(address);

	return script_table_add(&key, code);
}

static uint32_t find(uint64_t address)
{
	struct code_key key = key_of(address);

	return script_table_find(&key);
}

static const char *text_at(uint64_t number)
{
	return spool_own_entry(spool_own.header->first_text, number, 1);
}

static uint64_t count_codes(void)
{
	return spool_own_count(spool_own.header->first_code, SPOOL_CHUNK_CODES);
}

static struct spool_code code_at(uint32_t number)
{
	const struct spool_code *code;

	assert_int_not_equal(number, 0);
	code = spool_own_entry(spool_own.header->first_code, number - 1, sizeof(*code));
	return *code;
}

static void assert_text(struct spool_text text, const char *expected)
{
	assert_int_equal(text.bytes, strlen(expected));
	for (uint32_t i = 0; i < text.bytes; i++)
		assert_int_equal(*text_at(text.at + i), expected[i]);
}

TEST(a_function_is_found_once_it_was_added)
{
	struct script_new code = new_of("name", 7);
	uint32_t number;
	struct spool_code stored;

	assert_int_equal(find(100), 0);
	number = add(100, &code);
	assert_int_equal(number, 1);
	assert_int_equal(find(100), number);
	stored = code_at(number);
	assert_int_equal(stored.language, SPOOL_LANGUAGE_PYTHON);
	assert_int_equal(stored.lines, SPOOL_LINES_PEP657);
	assert_int_equal(stored.first_line, 7);
	assert_text(stored.name, "name");
	assert_text(stored.qualified, "Class.name");
	assert_text(stored.file, "/usr/lib/file.py");
	assert_text(stored.table, "table");
}

TEST(equal_content_has_one_number_at_every_address)
{
	struct script_new code = new_of("name", 7), other = new_of("name", 8);
	char copy[] = "name";

	assert_int_equal(add(100, &code), 1);
	code.name = text_of(copy);
	assert_int_equal(add(200, &code), 1);
	assert_int_equal(find(200), 1);
	assert_int_equal(add(300, &other), 2);
	other.table = text_of("tablf");
	assert_int_equal(add(500, &other), 3);
	assert_int_equal(count_codes(), 3);
}

TEST(the_address_of_another_function_with_another_print_is_not_confused)
{
	struct script_new code = new_of("one", 1), other = new_of("two", 2);
	struct code_key key = key_of(100);

	assert_int_equal(script_table_add(&key, &code), 1);
	for (unsigned i = 0; i < SCRIPT_TABLE_PRINT_WORDS; i++) {
		struct code_key changed = key;

		changed.print[i]++;
		assert_int_equal(script_table_find(&changed), 0);
		assert_int_equal(script_table_add(&changed, &other), 2);
		assert_int_equal(script_table_find(&changed), 2);
	}
	assert_int_equal(script_table_find(&key), 1);
}

TEST(texts_of_the_same_bytes_are_stored_once)
{
	struct script_new code = new_of("Class.name", 7);

	for (uint32_t i = 0; i < 1000; i++) {
		code.first_line = 8 + i;
		add(200 + i, &code);
	}
	assert_int_equal(spool_own_count(spool_own.header->first_text, SPOOL_CHUNK_TEXTS),
			 strlen("Class.name") + strlen("/usr/lib/file.py") + strlen("table"));
}

TEST(a_table_that_is_too_long_or_unreadable_is_left_out)
{
	static char bytes[LONGEST] = { [0 ... 65535] = 't' };
	struct script_new code = new_of("name", 1);
	struct spool_code stored;

	code.table = (struct script_text){ (uint64_t)(uintptr_t)bytes, 65536, CODE_BYTES };
	stored = code_at(add(1, &code));
	assert_text(stored.table, bytes);
	assert_int_equal(stored.lines, SPOOL_LINES_PEP657);
	code.table.bytes = 65537;
	stored = code_at(add(2, &code));
	assert_int_equal(stored.table.bytes, 0);
	assert_int_equal(stored.lines, SPOOL_LINES_NONE);
	code.table = (struct script_text){ UNREADABLE, 10, CODE_BYTES };
	code.first_line = 2;
	stored = code_at(add(3, &code));
	assert_int_equal(stored.table.bytes, 0);
	assert_int_equal(stored.lines, SPOOL_LINES_NONE);
}

TEST(a_name_must_be_readable_and_other_texts_need_not)
{
	struct script_new code = new_of("name", 1);
	struct spool_code stored;

	code.name = (struct script_text){ UNREADABLE, 7, CODE_BYTES };
	assert_int_equal(add(1, &code), 0);
	code.name = (struct script_text){ 0, 0, CODE_BYTES };
	assert_int_equal(add(1, &code), 0);
	assert_int_equal(find(1), 0);
	code.name = text_of("name");
	code.qualified = code.file = (struct script_text){ UNREADABLE, 6, CODE_UCS2 };
	stored = code_at(add(1, &code));
	assert_text(stored.name, "name");
	assert_int_equal(stored.qualified.bytes, 0);
	assert_int_equal(stored.file.bytes, 0);
}

TEST(code_that_is_made_again_and_again_keeps_its_number)
{
	struct script_new code = new_of("name", 7);

	for (uint64_t i = 1; i <= SCRIPT_KEYS_MAX + 1; i++)
		assert_int_equal(add(i * 64, &code), 1);
	assert_int_equal(find(64), 0); /* forgotten */
	assert_int_equal(count_codes(), 1);
}

TEST(many_functions_keep_their_numbers_and_texts)
{
	const uint32_t count = 3000;
	uint64_t chunks = 0;

	for (uint32_t i = 1; i <= count; i++) {
		char name[16];
		struct script_new code;

		snprintf(name, sizeof(name), "function_%u", i);
		code = new_of(name, i);
		assert_int_equal(add(i, &code), i);
	}
	for (uint32_t i = 1; i <= count; i++)
		assert_int_equal(find(i), i);
	assert_text(code_at(1).name, "function_1");
	assert_text(code_at(count).name, "function_3000");
	for (uint64_t offset = spool_own.header->first_text; offset; chunks++) {
		const struct spool_chunk *chunk = spool_alloc_at(&spool_own, offset);

		assert_int_equal(chunk->number, chunks);
		offset = chunk->next;
	}
	assert_true(chunks > 1);
}

TEST(a_full_spool_refuses_new_functions_and_keeps_room_for_stacks)
{
	struct script_new code;
	uint32_t stored = 0, with_table = 0;
	char name[512];

	begin_small();
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (uint32_t i = 1;; i++) {
		name[snprintf(name, sizeof(name), "%08u", i)] = 'n';
		code = new_of(name, 1);
		if (!add(i, &code))
			break;
		stored++;
		if (code_at(stored).table.bytes)
			with_table++;
		else
			assert_int_equal(code_at(stored).lines, SPOOL_LINES_NONE);
	}
	assert_true(with_table > 0 && with_table < stored);
	assert_int_equal(count_codes(), stored);
	assert_int_equal(find(1), 1);
	assert_non_null(spool_alloc_take(&spool_own, SPOOL_CHUNK_NODES, false));
	assert_true(spool_own.header->used_bytes < 32UL * SPOOL_CHUNK_BYTES);
	name[snprintf(name, sizeof(name), "%08u", 1)] = 'n';
	code = new_of(name, 1);
	assert_int_equal(add(0, &code), 1);	     /* what is there is still known */
	assert_int_equal(add(stored + 1, &code), 0); /* but texts are not read twice in vain */
}

TEST(a_spool_that_cannot_grow_for_a_time_takes_new_functions_later)
{
	struct script_new now = new_of("now", 1), later = new_of("later", 1);
	uint32_t tries = 1;

	spool_own.refused = 1; /* as after an attempt on a full file system */
	assert_int_equal(add(1, &now), 0);
	assert_false(script_store_is_full());
	while (!add(1, &now))
		assert_true(tries++ < TRIES_MAX);
	assert_int_equal(add(1, &now), 1);
	assert_int_equal(add(2, &later), 2);
}

TEST(a_share_that_is_used_up_is_full_until_a_new_spool_begins)
{
	static const char bytes[SPOOL_CHUNK_BYTES];
	struct script_new code = new_of("name", 1);
	struct spool_text text;
	uint64_t hash = 1;

	begin_small();
	while (script_store_text(bytes, sizeof(bytes), hash, &text))
		assert_true(hash++ < SMALL_BYTES / SPOOL_CHUNK_BYTES);
	assert_true(script_store_is_full());
	assert_int_equal(add(1, &code), 0);
	spool_own_close();
	assert_int_equal(unit_setup(NULL), 0);
	assert_false(script_store_is_full());
	assert_int_equal(add(1, &code), 1);
}

TEST(a_new_spool_begins_with_nothing)
{
	struct script_new code = new_of("name", 7), other = new_of("other", 8);

	assert_int_equal(add(100, &code), 1);
	spool_own_close();
	unit_setup(NULL);
	assert_int_equal(find(100), 0);
	assert_int_equal(add(200, &other), 1);
	assert_text(code_at(1).name, "other");
	assert_text(code_at(1).file, "/usr/lib/file.py");
}

/* Each thread adds the same functions at addresses of its own and at shared ones. */
static void *add_many(void *thread)
{
	static char two[] = "two numbers", lost[] = "lost", other[] = "another function";
	uint64_t own = (uint64_t)(uintptr_t)thread << 32;

	for (uint32_t i = 1; i <= ROUNDS; i++) {
		struct script_new code = new_of("name", i % 500);
		uint32_t number = add(own + i, &code), shared = add(i, &code);

		if (number && shared && number != shared)
			return two;
		if (number && find(own + i) != number)
			return lost;
		if (number && code_at(number).first_line != i % 500)
			return other;
	}
	return NULL;
}

TEST(threads_add_and_find_at_once)
{
	pthread_t threads[THREADS];
	void *wrong;

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_many, (void *)(i + 1)), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	assert_true(count_codes() > 0 && count_codes() <= 500);
}

static _Atomic bool stop;

static void *add_until(void *unused)
{
	for (uint32_t i = 1; !stop; i++) {
		struct script_new code = new_of("name", i % 5000);

		add(i, &code);
	}
	return unused;
}

/* The lock may be taken, and every array half moved, when the process is copied. */
TEST(a_forked_child_begins_with_nothing_whatever_other_threads_did)
{
	struct script_new code = new_of("child", 1);
	pthread_t thread;

	stop = false;
	assert_int_equal(pthread_create(&thread, NULL, add_until, NULL), 0);
	for (unsigned i = 0; i < 50; i++) {
		pid_t child = fork();

		if (!child) {
			int wrong =
				unit_setup(NULL) || find(1) || add(1, &code) != 1 || find(1) != 1;

			spool_own_close();
			_exit(wrong ? 2 : 7);
		}
		assert_int_equal(child_end(child), 7);
	}
	stop = true;
	pthread_join(thread, NULL);
}
