/* Reads of an interpreter's memory: what is not mapped is refused, and never becomes a fault. */

#include <string.h>
#include <sys/mman.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_read.h"
#include "runtime/sample/sys/sys.h"
#include "tests/support/unit.h"

#define PAGE 4096UL

static struct interp_reader reader;
static char *pages;    /* readable, unmapped, readable */
static unsigned calls; /* of the kernel, for copies */

long __real_sys_copy_memory(pid_t self, void *to, uint64_t from, size_t bytes);
long __wrap_sys_copy_memory(pid_t self, void *to, uint64_t from, size_t bytes);
long __real_sys_copy_pieces(pid_t self, void *to, size_t bytes, const struct iovec *from,
			    unsigned count);
long __wrap_sys_copy_pieces(pid_t self, void *to, size_t bytes, const struct iovec *from,
			    unsigned count);
long __real_sys_copy_vector(pid_t self, const struct iovec *to, const struct iovec *from,
			    unsigned count);
long __wrap_sys_copy_vector(pid_t self, const struct iovec *to, const struct iovec *from,
			    unsigned count);

long __wrap_sys_copy_memory(pid_t self, void *to, uint64_t from, size_t bytes)
{
	calls++;
	return __real_sys_copy_memory(self, to, from, bytes);
}

long __wrap_sys_copy_pieces(pid_t self, void *to, size_t bytes, const struct iovec *from,
			    unsigned count)
{
	calls++;
	return __real_sys_copy_pieces(self, to, bytes, from, count);
}

long __wrap_sys_copy_vector(pid_t self, const struct iovec *to, const struct iovec *from,
			    unsigned count)
{
	calls++;
	return __real_sys_copy_vector(self, to, from, count);
}

int unit_begin(void **state)
{
	(void)state;
	memory_start();
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(pages, 7, 3 * PAGE);
	return munmap(pages + PAGE, PAGE);
}

int unit_setup(void **state)
{
	(void)state;
	interp_read_begin(&reader, 0, 0);
	return 0;
}

static uint64_t at(const void *address)
{
	return (uint64_t)(uintptr_t)address;
}

static void check_unreadable(void)
{
	assert_null(interp_read(&reader, at(pages + PAGE), 8));
	assert_null(interp_read(&reader, at(pages + PAGE - 4), 8));
	assert_null(interp_read(&reader, at(pages + 2 * PAGE - 4), 8));
	assert_null(interp_read(&reader, 0, 8));
	assert_null(interp_read(&reader, 8, 8));
	assert_null(interp_read(&reader, UINT64_MAX - 3, 8));
	assert_null(interp_read(&reader, 1ULL << 63, 8));
	assert_null(interp_read(&reader, 0x800000000000 - 4, 8));
	assert_null(interp_read(&reader, at(pages), 0));
	assert_null(interp_read(&reader, at(pages), INTERP_READ_MAX + 1));
}

static void check_readable(void)
{
	static const char sevens[INTERP_READ_MAX] = { [0 ... INTERP_READ_MAX - 1] = 7 };
	const void *read = interp_read(&reader, at(pages), INTERP_READ_MAX);

	assert_non_null(read);
	assert_memory_equal(read, sevens, INTERP_READ_MAX);
	read = interp_read(&reader, at(pages + PAGE - 8), 8);
	assert_non_null(read);
	assert_memory_equal(read, sevens, 8);
	read = interp_read_held(&reader, at(pages + 2 * PAGE + 1), 100);
	assert_non_null(read);
	assert_memory_equal(read, sevens, 100);
}

TEST(unmapped_memory_is_refused_when_others_may_run)
{
	check_unreadable();
	assert_null(interp_read_held(&reader, at(pages + PAGE), 8));
	assert_null(interp_read_held(&reader, at(pages + PAGE - 4), 8));
}

TEST(unmapped_memory_is_refused_when_nobody_else_runs)
{
	reader.quiet = true;
	check_unreadable();
	assert_null(interp_read_held(&reader, 0, 8));
	assert_null(interp_read_held(&reader, 1ULL << 63, 8));
}

TEST(mapped_memory_is_read)
{
	check_readable();
	reader.quiet = true;
	check_readable();
}

TEST(a_result_is_a_copy_when_others_may_run)
{
	const char *first = interp_read(&reader, at(pages), 16);

	assert_ptr_not_equal(first, pages);
	for (unsigned i = 1; i < INTERP_READ_KEPT; i++)
		assert_ptr_not_equal(interp_read(&reader, at(pages + i), 16), first);
	pages[0] = 1;
	assert_int_equal(first[0], 7);
	pages[0] = 7;
}

TEST(a_page_is_probed_once_in_a_walk)
{
	char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	reader.quiet = true;
	assert_ptr_equal(interp_read(&reader, at(page), 8), page);
	munmap(page, PAGE);
	assert_ptr_equal(interp_read(&reader, at(page + 8), 8), page + 8); /* not loaded */
	interp_read_begin(&reader, 0, 0);
	reader.quiet = true;
	assert_null(interp_read(&reader, at(page), 8));
}

TEST(two_pages_that_share_a_place_are_both_probed)
{
	char *many = mmap(NULL, (INTERP_READ_PAGES + 1) * PAGE, PROT_READ,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	reader.quiet = true;
	assert_non_null(interp_read(&reader, at(many), 8));
	munmap(many + INTERP_READ_PAGES * PAGE, PAGE);
	assert_null(interp_read(&reader, at(many + INTERP_READ_PAGES * PAGE), 8));
	munmap(many, INTERP_READ_PAGES * PAGE);
}

TEST(the_own_stack_is_read_in_place)
{
	uint64_t words[4] = { 1, 2, 3, 4 };

	interp_read_begin(&reader, at(words), at(words + 4));
	assert_ptr_equal(interp_read(&reader, at(words + 1), 8), words + 1);
	assert_ptr_equal(interp_read_held(&reader, at(words), sizeof(words)), words);
	assert_ptr_not_equal(interp_read(&reader, at(words + 3), 16), words + 3);
	assert_ptr_not_equal(interp_read(&reader, at(words - 1), 16), words - 1);
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

TEST(pieces_are_copied_if_all_are_there)
{
	uint64_t from[MEMORY_PIECES + 1] = { at(pages), at(pages + 2 * PAGE), at(pages + 32) };
	const char *read;

	pages[32] = 1;
	read = interp_read_pieces(&reader, 1, from, 3, 16);
	assert_non_null(read);
	assert_int_equal(read[0], 7);
	assert_int_equal(read[32], 1);
	pages[32] = 7;
	from[1] = at(pages + PAGE);
	assert_null(interp_read_pieces(&reader, 0, from, 3, 16));
	from[1] = 0;
	assert_null(interp_read_pieces(&reader, 0, from, 3, 16));
	from[1] = at(pages);
	assert_null(interp_read_pieces(&reader, 0, from, 3, INTERP_READ_PIECES));
	for (unsigned i = 0; i <= MEMORY_PIECES; i++)
		from[i] = at(pages);
	assert_non_null(interp_read_pieces(&reader, 0, from, MEMORY_PIECES, 16));
	assert_null(interp_read_pieces(&reader, 0, from, MEMORY_PIECES + 1, 16));
}

TEST(a_walk_that_copies_without_end_is_given_up)
{
	uint64_t pieces[2] = { at(pages), at(pages + 2 * PAGE) };
	unsigned copies = 0;

	while (interp_read(&reader, at(pages), 8))
		assert_true(copies++ < INTERP_READ_COPIES);
	assert_int_equal(copies, INTERP_READ_COPIES);
	assert_true(reader.copies > INTERP_READ_COPIES);
	assert_null(interp_read_held(&reader, at(pages), 8));
	assert_null(interp_read_below(&reader, at(pages + PAGE - 8), 8));
	assert_null(interp_read_pieces(&reader, 0, pieces, 2, 16));
	interp_read_begin(&reader, 0, 0);
	assert_non_null(interp_read(&reader, at(pages), 8));
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
	assert_non_null(interp_read_pieces(&reader, 0, from, count, 32));
	return calls;
}

/* What is valid between walks is nothing. */
static void forget(void)
{
	memset(&reader, 0, sizeof(reader));
	interp_read_begin(&reader, 0, 0);
}

TEST(a_walk_like_the_last_one_is_copied_in_one_call)
{
	uint64_t from[20];

	forget();
	for (unsigned i = 0; i < 20; i++)
		from[i] = at(pages + i * 64 % 640);
	assert_int_equal(walk_of(from, 20), 10 + 1 + 1);
	assert_int_equal(walk_of(from, 20), 1);
	assert_int_equal(walk_of(from, 12), 1);
	assert_int_equal(walk_of(from, 20), 1);
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
	read = interp_read_below(&reader, at(pages + 2 * PAGE + 512), 64);
	assert_int_equal(read[256 - 512], 2);
	assert_int_equal(*(const char *)interp_read_pieces(&reader, 0, &from, 1, 32), 1);
	pages[64] = pages[2 * PAGE + 256] = 7;
}

TEST(what_has_gone_since_the_last_walk_is_refused_and_the_rest_is_there)
{
	char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t from[3] = { at(pages), at(page), at(pages + 64) };

	forget();
	walk_of(from, 3);
	munmap(page, PAGE);
	interp_read_begin(&reader, 0, 0);
	assert_non_null(interp_read(&reader, from[2], 16));
	assert_null(interp_read(&reader, from[1], 16));
	assert_non_null(interp_read(&reader, from[0], 16));
	assert_null(interp_read_pieces(&reader, 0, from, 3, 32));
	from[1] = at(pages + 128);
	walk_of(from, 3);
}

TEST(walks_that_have_nothing_in_common_copy_nothing_in_vain)
{
	uint64_t from[10];
	unsigned other;

	forget();
	for (unsigned i = 0; i < 10; i++)
		from[i] = at(pages + i * 16);
	walk_of(from, 10);
	for (unsigned i = 0; i < 10; i++)
		from[i] = at(pages + 1024 + i * 16);
	other = walk_of(from, 10);
	for (unsigned i = 0; i < 10; i++)
		from[i] = at(pages + 2048 + i * 16);
	assert_int_equal(walk_of(from, 10), other); /* without what was copied at once … */
	assert_int_equal(walk_of(from, 10), 1);	    /* … until it helps again */
}

TEST(more_than_there_is_room_for_is_read_all_the_same)
{
	forget();
	for (unsigned round = 0; round < 3; round++) {
		interp_read_begin(&reader, 0, 0);
		for (unsigned i = 0; i < 2 * INTERP_COPIES_MAX; i++) {
			const char *read = interp_read(&reader, at(pages + i), INTERP_READ_MAX);

			assert_int_equal(read[INTERP_READ_MAX - 1], 7);
		}
		assert_non_null(interp_read_below(&reader, at(pages + PAGE - 64), 64));
		assert_non_null(interp_read_pieces(&reader, 0, &(uint64_t){ at(pages) }, 1, 16));
	}
}
