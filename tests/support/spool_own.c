/* The folder's name is that of the spool without its last part. */
#include "tests/support/spool_own.h"

#include "runtime/sample/elf/memory.h"
#include "tests/support/unit.h"

struct spool_alloc spool_own;

int spool_own_open(uint64_t bytes)
{
	char folder[] = "/tmp/flametrap-spool-XXXXXX";

	memory_start();
	memset(&spool_own, 0, sizeof(spool_own));
	if (!mkdtemp(folder))
		return -1;
	if (!spool_alloc_create(&spool_own, folder, bytes, 1, 1))
		return 0;
	rmdir(folder);
	return -1;
}

int spool_own_close(void)
{
	char folder[sizeof(spool_own.path)], *last;

	strcpy(folder, spool_own.path);
	last = strrchr(folder, '/');
	if (!last)
		return -1;
	*last = '\0';
	spool_alloc_unlink(&spool_own);
	spool_alloc_abandon(&spool_own);
	return rmdir(folder);
}

UNIT(teardown)
{
	return spool_own_close();
}

uint64_t spool_own_count(uint64_t first, enum spool_chunk_kind kind)
{
	uint64_t count = 0;

	while (first) {
		const struct spool_chunk *chunk = spool_alloc_at(&spool_own, first);

		assert_int_equal(chunk->kind, kind);
		count += chunk->count;
		first = chunk->next;
	}
	return count;
}

const void *spool_own_entry(uint64_t first, uint64_t number, size_t bytes)
{
	uint64_t capacity = (SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD) / bytes;
	const struct spool_chunk *chunk = spool_alloc_at(&spool_own, first);

	for (; number >= capacity; number -= capacity)
		chunk = spool_alloc_at(&spool_own, chunk->next);
	assert_true(number < chunk->count);
	return (const char *)chunk + SPOOL_CHUNK_HEAD + number * bytes;
}
