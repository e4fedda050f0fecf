/* Reads of an interpreter's memory: what is not mapped is refused, and never becomes a fault. */

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/sys/sys.h"
#include "tests/support/system.h"
#include "tests/support/unit.h"

#define PAGE 4096UL

static struct interp_reader reader;
static char *pages;    /* readable, unmapped, readable */
static unsigned calls; /* of the kernel, for copies */

WRAP(long, sys_copy_memory, pid_t self, const struct iovec *to, unsigned to_count,
     const struct iovec *from, unsigned from_count)
{
	calls++;
	return __real_sys_copy_memory(self, to, to_count, from, from_count);
}

UNIT(begin)
{
	memory_start();
	pages = pages_new(3 * PAGE);
	memset(pages, 7, 3 * PAGE);
	return munmap(pages + PAGE, PAGE);
}

UNIT(setup)
{
	interp_read_begin(&reader, 0, 0);
	return 0;
}

static uint64_t at(const void *address)
{
	return (uint64_t)(uintptr_t)address;
}

/* The bytes that are read there, or NULL. */
static const char *read_at(const void *address, size_t bytes)
{
	return interp_read(&reader, at(address), bytes);
}

TEST(unmapped_memory_is_refused)
{
	assert_null(read_at(pages + PAGE, 8));
	assert_null(read_at(pages + PAGE - 4, 8));
	assert_null(read_at(pages + 2 * PAGE - 4, 8));
	assert_null(interp_read(&reader, 0, 8));
	assert_null(interp_read(&reader, 8, 8));
	assert_null(interp_read(&reader, UINT64_MAX - 3, 8));
	assert_null(interp_read(&reader, 1ULL << 63, 8));
	assert_null(interp_read(&reader, 0x800000000000 - 4, 8));
	assert_null(read_at(pages, 0));
	assert_null(read_at(pages, INTERP_READ_MAX + 1));
}

static void assert_sevens(const char *address, size_t bytes)
{
	const char *read = read_at(address, bytes);

	assert_non_null(read);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(read[i], 7);
}

TEST(mapped_memory_is_read)
{
	assert_sevens(pages, INTERP_READ_MAX);
	assert_sevens(pages + PAGE - 8, 8);
	assert_sevens(pages + 2 * PAGE + 1, 100);
}

/* Another thread takes pages away, and gives them back, all the time. */
static _Atomic bool is_over;

static void *take_away(void *page)
{
	while (!atomic_load(&is_over)) {
		mprotect(page, PAGE, PROT_NONE);
		mprotect(page, PAGE, PROT_READ);
		munmap(page, PAGE);
		mmap(page, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return NULL;
}

TEST(memory_that_goes_at_any_instant_is_read_or_refused)
{
	char *page = pages_new(PAGE);
	unsigned refused = 0, got = 0;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, take_away, page), 0);
	for (unsigned i = 0; i < 10000000 && (refused < 1000 || got < 1000); i++) {
		const char *read;

		interp_read_begin(&reader, 0, 0);
		read = read_at(page + 100, 100);
		if (read)
			assert_int_equal(read[99], 0);
		(*(read ? &got : &refused))++;
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	munmap(page, PAGE);
	assert_true(refused && got);
}

TEST(a_result_is_a_copy)
{
	const char *first = read_at(pages, 16);

	assert_ptr_not_equal(first, pages);
	for (unsigned i = 1; i < INTERP_READ_KEPT; i++)
		assert_ptr_not_equal(read_at(pages + i, 16), first);
	pages[0] = 1;
	assert_int_equal(first[0], 7);
	pages[0] = 7;
}

TEST(the_own_stack_is_read_in_place)
{
	uint64_t words[4] = { 1, 2, 3, 4 };

	interp_read_begin(&reader, at(words), at(words + 4));
	assert_ptr_equal(read_at(words + 1, 8), words + 1);
	assert_ptr_equal(read_at(words, sizeof(words)), words);
	assert_ptr_not_equal(read_at(words + 3, 16), words + 3);
	assert_ptr_not_equal(read_at(words - 1, 16), words - 1);
}

TEST(a_chain_of_lower_addresses_is_copied_up_to_where_memory_begins)
{
	char *last = pages + 3 * PAGE;

	memset(pages + 2 * PAGE, 3, 64);
	for (char *from = last - 64; from >= pages + 2 * PAGE; from -= 64) {
		const char *read = interp_read_below(&reader, at(from), 64);

		assert_non_null(read);
		assert_int_equal(read[63], from == pages + 2 * PAGE ? 3 : 7);
	}
	assert_null(interp_read_below(&reader, at(pages + 2 * PAGE - 64), 64));
	assert_null(interp_read_below(&reader, at(pages + 2 * PAGE - 8), 64));
	assert_null(interp_read_below(&reader, 64, 64));
	memset(pages + 2 * PAGE, 7, 64);
}

/* What is valid between walks is nothing. */
static void forget(void)
{
	memset(&reader, 0, sizeof(reader));
	interp_read_begin(&reader, 0, 0);
}

TEST(what_is_read_ahead_is_copied_in_one_call)
{
	uint64_t from[MEMORY_PIECES] = { at(pages), at(pages + 2 * PAGE), at(pages + 1000) };

	forget();
	calls = 0;
	interp_read_ahead(&reader, from, 3, 64);
	assert_int_equal(calls, 1);
	for (unsigned i = 0; i < 3; i++)
		assert_non_null(interp_read(&reader, from[i], 64));
	assert_int_equal(calls, 1);
	from[1] = at(pages + PAGE);
	from[2] = at(pages + 2048);
	interp_read_ahead(&reader, from, 3, 64); /* one is not there: nothing is */
	assert_null(interp_read(&reader, from[1], 64));
	assert_non_null(interp_read(&reader, from[2], 64));
	from[1] = 0;
	calls = 0;
	interp_read_ahead(&reader, from, 3, 64);
	assert_int_equal(calls, 0);
	for (unsigned i = 0; i < MEMORY_PIECES; i++)
		from[i] = at(pages + i * 64 % PAGE);
	interp_read_ahead(&reader, from, MEMORY_PIECES, INTERP_READ_MAX); /* more than fits */
	for (unsigned i = 0; i < MEMORY_PIECES; i++)
		assert_non_null(interp_read(&reader, from[i], INTERP_READ_MAX));
}

TEST(a_walk_that_copies_without_end_is_given_up)
{
	static const unsigned blocks = INTERP_COPIES_CALLS + INTERP_COPIES_MORE;
	char *many = pages_new((blocks + 1) * (size_t)INTERP_COPIES_BLOCK);
	uint64_t next = at(many);
	unsigned copies = 0;

	forget();
	while (interp_read(&reader, next, 8) && copies++ < blocks)
		next += INTERP_COPIES_BLOCK;
	assert_int_equal(copies, INTERP_COPIES_CALLS);
	assert_false(interp_read_is_whole(&reader));
	assert_null(read_at(pages, 8));
	assert_null(interp_read_below(&reader, at(pages + PAGE - 8), 8));
	interp_read_begin(&reader, 0, 0);
	assert_true(interp_read_is_whole(&reader));
	assert_non_null(read_at(pages, 8));
}

/* Begins a walk, which then makes the same reads, and returns how often the kernel copied. */
static unsigned walk_of(const uint64_t *from, unsigned count)
{
	interp_read_begin(&reader, 0, 0);
	calls = 0;
	for (unsigned i = 0; i < count; i++)
		assert_non_null(interp_read(&reader, from[i], 16));
	assert_non_null(interp_read_below(&reader, at(pages + 2 * PAGE + 512), 64));
	assert_non_null(interp_read_below(&reader, at(pages + 2 * PAGE + 256), 64));
	return calls;
}

TEST(a_walk_like_the_last_one_is_copied_in_one_call)
{
	uint64_t from[20];

	forget();
	for (unsigned i = 0; i < 20; i++)
		from[i] = at(pages + i * 128);
	assert_int_equal(walk_of(from, 20), 5 + 1);
	assert_int_equal(walk_of(from, 20), 1);
	assert_int_equal(walk_of(from, 12), 1);
	assert_int_equal(walk_of(from, 20), 1 + 2);
}

TEST(a_walk_never_gets_what_an_earlier_one_copied)
{
	uint64_t from = at(pages + 64);
	const char *read;

	forget();
	walk_of(&from, 1);
	pages[64] = 1;
	pages[2 * PAGE + 256] = 2;
	interp_read_begin(&reader, 0, 0);
	read = interp_read(&reader, from, 16);
	assert_int_equal(read[0], 1);
	read = interp_read_below(&reader, at(pages + 2 * PAGE + 256), 64);
	assert_int_equal(read[0], 2);
	pages[64] = pages[2 * PAGE + 256] = 7;
}

TEST(what_has_gone_since_the_last_walk_is_refused_and_the_rest_is_there)
{
	char *page = pages_new(PAGE);
	uint64_t from[3] = { at(pages), at(page), at(pages + 64) };

	forget();
	walk_of(from, 3);
	munmap(page, PAGE);
	interp_read_begin(&reader, 0, 0);
	assert_non_null(interp_read(&reader, from[2], 16));
	assert_null(interp_read(&reader, from[1], 16));
	assert_non_null(interp_read(&reader, from[0], 16));
	from[1] = at(pages + 128);
	walk_of(from, 3);
}

TEST(walks_that_have_nothing_in_common_copy_nothing_in_vain)
{
	char *many = pages_new(8 * PAGE);
	uint64_t from[16];
	unsigned other = 0;

	forget();
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 16; i++)
			from[i] = at(many + (round * 16 + i) * INTERP_COPIES_BLOCK);
		calls = walk_of(from, 16);
		other = round == 1 ? calls : other;
	}
	assert_int_equal(calls, other);		/* without what was copied at once … */
	assert_int_equal(walk_of(from, 16), 1); /* … until it helps again */
}

TEST(more_than_there_is_room_for_is_read_all_the_same)
{
	const size_t bytes = 2UL * INTERP_COPIES_MAX * INTERP_COPIES_BLOCK;
	char *many = pages_new(bytes);

	for (size_t i = 0; i < bytes; i++)
		many[i] = (char)(i / 100);
	forget();
	for (unsigned round = 0; round < 3; round++) {
		interp_read_begin(&reader, 0, 0);
		for (size_t i = 0; i + 100 <= bytes; i += 100) {
			const char *read = round == 1
						   ? interp_read_below(&reader, at(many + i), 100)
						   : read_at(many + i, 100);

			assert_non_null(read);
			assert_memory_equal(read, many + i, 100);
		}
		assert_true(interp_read_is_whole(&reader));
	}
}
