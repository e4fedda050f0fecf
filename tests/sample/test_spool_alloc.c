/* Chunks of the spool: taken zeroed, given back and taken again, never past the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/sample/store/spool_alloc.h"

#define CHUNKS	   128
#define SIZE_BYTES (CHUNKS * SPOOL_CHUNK_BYTES)

static struct spool_alloc spool;
static char directory[] = "/tmp/flametrap-spool-XXXXXX";

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

static int open_store(void **state)
{
	(void)state;
	memset(&spool, 0, sizeof(spool));
	return spool_alloc_create(&spool, directory, SIZE_BYTES, 77, 4711);
}

static int close_store(void **state)
{
	(void)state;
	spool_alloc_unlink(&spool);
	spool_alloc_abandon(&spool);
	return 0;
}

static void a_spool_is_private_and_named_after_its_process(void **state)
{
	struct stat status;

	(void)state;
	assert_non_null(strstr(spool.path, "/flametrap.77.4711."));
	assert_int_equal(stat(spool.path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(status.st_size, SIZE_BYTES);
	assert_true(status.st_blocks * 512 < SIZE_BYTES / 2); /* sparse */
}

static void chunks_are_zero_and_apart(void **state)
{
	struct spool_chunk *first = spool_alloc_take(&spool, SPOOL_CHUNK_NODES, false);
	struct spool_chunk *second = spool_alloc_take(&spool, SPOOL_CHUNK_THREADS, false);

	(void)state;
	assert_non_null(first);
	assert_non_null(second);
	assert_int_equal(llabs((char *)second - (char *)first), SPOOL_CHUNK_BYTES);
	assert_int_equal(first->kind, SPOOL_CHUNK_NODES);
	for (size_t i = SPOOL_CHUNK_HEAD; i < SPOOL_CHUNK_BYTES; i++)
		assert_int_equal(((char *)first)[i], 0);
}

static void a_chunk_given_back_is_taken_again_and_zero(void **state)
{
	struct spool_chunk *chunk = spool_alloc_take(&spool, SPOOL_CHUNK_NODES, false);
	uint64_t used = spool.header->used_bytes;

	(void)state;
	memset((char *)chunk + SPOOL_CHUNK_HEAD, 0xee, SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD);
	spool_alloc_give(&spool, chunk);
	assert_ptr_equal(spool_alloc_take(&spool, SPOOL_CHUNK_NODES, false), chunk);
	assert_int_equal(spool.header->used_bytes, used);
	for (size_t i = SPOOL_CHUNK_HEAD; i < SPOOL_CHUNK_BYTES; i++)
		assert_int_equal(((char *)chunk)[i], 0);
}

static void the_last_eighth_is_kept_for_the_last_resort(void **state)
{
	unsigned ordinary = 0, last = 0;

	(void)state;
	while (spool_alloc_take(&spool, SPOOL_CHUNK_NODES, false))
		ordinary++;
	while (spool_alloc_take(&spool, SPOOL_CHUNK_NODES, true))
		last++;
	assert_int_equal(ordinary, CHUNKS / 8 * 7 - SPOOL_HEADER_CHUNKS);
	assert_int_equal(last, CHUNKS / 8);
	assert_true(spool.header->used_bytes <= SIZE_BYTES);
}

/* Of what the file system has given to the spool. */
static uint64_t chunks_there(const struct spool_alloc *made)
{
	struct stat status;

	assert_int_equal(stat(made->path, &status), 0);
	return (uint64_t)status.st_blocks * 512 / SPOOL_CHUNK_BYTES;
}

static void a_lean_spool_has_room_for_one_chunk_and_grows(void **state)
{
	struct spool_alloc lean = { .lean = true };
	uint64_t before;

	(void)state;
	assert_int_equal(spool_alloc_create(&lean, directory, SIZE_BYTES, 1, 1), 0);
	before = chunks_there(&lean);
	assert_true(before + 2 <= chunks_there(&spool));
	for (unsigned i = 0; i < 3; i++) {
		struct spool_chunk *chunk = spool_alloc_take(&lean, SPOOL_CHUNK_NODES, false);

		assert_non_null(chunk);
		chunk->number = 1;
		assert_int_equal(chunks_there(&lean), before + i);
	}
	while (spool_alloc_take(&lean, SPOOL_CHUNK_NODES, true))
		;
	assert_int_equal(lean.header->used_bytes, SIZE_BYTES);
	spool_alloc_unlink(&lean);
	spool_alloc_abandon(&lean);
}

static void a_file_size_limit_bounds_the_spool_and_raises_no_signal(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (!child) {
		struct rlimit small = { .rlim_cur = 100 * SPOOL_CHUNK_BYTES,
					.rlim_max = RLIM_INFINITY };
		struct rlimit tiny = { .rlim_cur = 4096, .rlim_max = RLIM_INFINITY };
		struct spool_alloc limited = { 0 };
		int err;

		signal(SIGXFSZ, SIG_DFL);
		setrlimit(RLIMIT_FSIZE, &small);
		err = spool_alloc_create(&limited, directory, SIZE_BYTES, 1, 1);
		if (!err)
			spool_alloc_unlink(&limited);
		if (err || limited.size_bytes != 100 * SPOOL_CHUNK_BYTES)
			_exit(1);
		setrlimit(RLIMIT_FSIZE, &tiny);
		_exit(spool_alloc_create(&limited, directory, SIZE_BYTES, 1, 1) == -EFBIG ? 7 : 2);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void a_directory_that_is_not_there_is_an_error(void **state)
{
	struct spool_alloc nowhere = { 0 };

	(void)state;
	assert_int_equal(spool_alloc_create(&nowhere, "/nowhere/at/all", SIZE_BYTES, 1, 1),
			 -ENOENT);
	assert_null(nowhere.header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_spool_is_private_and_named_after_its_process,
						open_store, close_store),
		cmocka_unit_test_setup_teardown(chunks_are_zero_and_apart, open_store, close_store),
		cmocka_unit_test_setup_teardown(a_chunk_given_back_is_taken_again_and_zero,
						open_store, close_store),
		cmocka_unit_test_setup_teardown(the_last_eighth_is_kept_for_the_last_resort,
						open_store, close_store),
		cmocka_unit_test_setup_teardown(a_lean_spool_has_room_for_one_chunk_and_grows,
						open_store, close_store),
		cmocka_unit_test(a_file_size_limit_bounds_the_spool_and_raises_no_signal),
		cmocka_unit_test(a_directory_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
