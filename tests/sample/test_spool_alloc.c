/* Chunks of the spool: taken zeroed, given back and taken again, never past the bound. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/spool_own.h"
#include "tests/support/system.h"
#include "tests/support/unit.h"

#define CHUNKS	   128
#define SIZE_BYTES (CHUNKS * SPOOL_CHUNK_BYTES)

UNIT(setup)
{
	return spool_own_open(SIZE_BYTES);
}

/* Another spool in the same folder. */
static int create(struct spool_alloc *made)
{
	char folder[sizeof(spool_own.path)];

	strcpy(folder, spool_own.path);
	*strrchr(folder, '/') = '\0';
	return spool_alloc_create(made, folder, SIZE_BYTES, 77, 4711);
}

static void remove_spool(struct spool_alloc *made)
{
	spool_alloc_unlink(made);
	spool_alloc_abandon(made);
}

TEST(a_spool_is_private_and_named_after_its_process)
{
	struct spool_alloc made = { 0 };
	struct stat status;

	assert_int_equal(create(&made), 0);
	assert_non_null(strstr(made.path, "/flametrap.77.4711."));
	assert_int_equal(stat(made.path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(status.st_size, SIZE_BYTES);
	assert_true(status.st_blocks * 512 < SIZE_BYTES / 2); /* sparse */
	remove_spool(&made);
}

TEST(chunks_are_zero_and_apart)
{
	struct spool_chunk *first = spool_alloc_take(&spool_own, SPOOL_CHUNK_NODES, false);
	struct spool_chunk *second = spool_alloc_take(&spool_own, SPOOL_CHUNK_THREADS, false);

	assert_non_null(first);
	assert_non_null(second);
	assert_int_equal(llabs((char *)second - (char *)first), SPOOL_CHUNK_BYTES);
	assert_int_equal(first->kind, SPOOL_CHUNK_NODES);
	for (size_t i = SPOOL_CHUNK_HEAD; i < SPOOL_CHUNK_BYTES; i++)
		assert_int_equal(((char *)first)[i], 0);
}

TEST(a_chunk_given_back_is_taken_again_and_zero)
{
	struct spool_chunk *chunk = spool_alloc_take(&spool_own, SPOOL_CHUNK_NODES, false);
	uint64_t used = spool_own.header->used_bytes;

	memset((char *)chunk + SPOOL_CHUNK_HEAD, 0xee, SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD);
	spool_alloc_give(&spool_own, chunk);
	assert_ptr_equal(spool_alloc_take(&spool_own, SPOOL_CHUNK_NODES, false), chunk);
	assert_int_equal(spool_own.header->used_bytes, used);
	for (size_t i = SPOOL_CHUNK_HEAD; i < SPOOL_CHUNK_BYTES; i++)
		assert_int_equal(((char *)chunk)[i], 0);
}

TEST(the_last_eighth_is_kept_for_the_last_resort)
{
	unsigned ordinary = 0, last = 0;

	while (spool_alloc_take(&spool_own, SPOOL_CHUNK_NODES, false))
		ordinary++;
	while (spool_alloc_take(&spool_own, SPOOL_CHUNK_NODES, true))
		last++;
	assert_int_equal(ordinary, CHUNKS / 8 * 7 - SPOOL_HEADER_CHUNKS);
	assert_int_equal(last, CHUNKS / 8);
	assert_true(spool_own.header->used_bytes <= SIZE_BYTES);
}

/* Of what the file system has given to the spool. */
static uint64_t chunks_there(const struct spool_alloc *made)
{
	struct stat status;

	assert_int_equal(stat(made->path, &status), 0);
	return (uint64_t)status.st_blocks * 512 / SPOOL_CHUNK_BYTES;
}

TEST(a_lean_spool_has_room_for_one_chunk_and_grows)
{
	struct spool_alloc lean = { .lean = true };
	uint64_t before;

	assert_int_equal(create(&lean), 0);
	before = chunks_there(&lean);
	assert_true(before + 2 <= chunks_there(&spool_own));
	for (unsigned i = 0; i < 3; i++) {
		struct spool_chunk *chunk = spool_alloc_take(&lean, SPOOL_CHUNK_NODES, false);

		assert_non_null(chunk);
		chunk->number = 1;
		assert_int_equal(chunks_there(&lean), before + i);
	}
	while (spool_alloc_take(&lean, SPOOL_CHUNK_NODES, true))
		;
	assert_int_equal(lean.header->used_bytes, SIZE_BYTES);
	remove_spool(&lean);
}

TEST(a_file_size_limit_bounds_the_spool_and_raises_no_signal)
{
	pid_t child = fork();

	if (!child) {
		struct rlimit small = { .rlim_cur = 100 * SPOOL_CHUNK_BYTES,
					.rlim_max = RLIM_INFINITY };
		struct rlimit tiny = { .rlim_cur = 4096, .rlim_max = RLIM_INFINITY };
		struct spool_alloc limited = { 0 };
		int err;

		signal(SIGXFSZ, SIG_DFL);
		setrlimit(RLIMIT_FSIZE, &small);
		err = create(&limited);
		if (!err)
			spool_alloc_unlink(&limited);
		if (err || limited.size_bytes != 100 * SPOOL_CHUNK_BYTES)
			_exit(1);
		setrlimit(RLIMIT_FSIZE, &tiny);
		_exit(create(&limited) == -EFBIG ? 7 : 2);
	}
	assert_int_equal(child_end(child), 7);
}

TEST(a_directory_that_is_not_there_is_an_error)
{
	struct spool_alloc nowhere = { 0 };

	assert_int_equal(spool_alloc_create(&nowhere, "/nowhere/at/all", SIZE_BYTES, 1, 1),
			 -ENOENT);
	assert_null(nowhere.header);
}
