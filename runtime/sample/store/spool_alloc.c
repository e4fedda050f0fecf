/*
 * Chunks come from a lock-free list of returned chunks, else from the end of the used part.  Any
 * number of handlers may take chunks at once: used_bytes moves by compare-and-swap, and only after
 * the pages behind it were populated.
 */
#include "runtime/sample/store/spool_alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "runtime/sample/sys/sys.h"
#include "runtime/spool/spool_name.h"

#define PAGE_BYTES	   4096
#define POPULATE_BYTES	   65536
#define FIRST_CHUNKS	   3
#define LEAN_CHUNKS	   1 /* for the first thread */
#define LEAST_BYTES	   (64 * SPOOL_CHUNK_BYTES)
#define RETRY_AFTER	   1024 /* refused chunks between two attempts on a full file system */
#define FREE_NUMBER(entry) ((entry)&UINT32_MAX)

uint64_t spool_alloc_offset(const struct spool_alloc *spool, const void *inside)
{
	return (uint64_t)((const char *)inside - (const char *)spool->header);
}

void *spool_alloc_at(const struct spool_alloc *spool, uint64_t offset)
{
	return (char *)spool->header + offset;
}

/* For kernels without MADV_POPULATE_WRITE: makes the kernel write to each page. */
static int populate_by_writes(char *from, char *to)
{
	for (; from < to; from += PAGE_BYTES) {
		int err = sys_sigmask(0, NULL, (uint64_t *)(void *)from);

		if (err)
			return err;
		*(volatile uint64_t *)(void *)from = 0;
	}
	return 0;
}

static int populate_range(const struct spool_alloc *spool, uint64_t from, uint64_t to)
{
	int err = sys_madvise(spool_alloc_at(spool, from), to - from, MADV_POPULATE_WRITE);

	if (err == -EINVAL)
		err = populate_by_writes(spool_alloc_at(spool, from), spool_alloc_at(spool, to));
	return err == -EFAULT ? -ENOSPC
			      : err; /* madvise(2): EFAULT if a write would raise SIGBUS */
}

/* Makes sure that all bytes below `end` can be written.  Memory below POPULATE_BYTES, which is
 * enough for most programs, is populated in small parts. */
static int populate(struct spool_alloc *spool, uint64_t end)
{
	uint64_t from = atomic_load_explicit(&spool->populated_bytes, memory_order_relaxed);
	uint64_t to = (end + POPULATE_BYTES - 1) / POPULATE_BYTES * POPULATE_BYTES;

	if (end <= from)
		return 0;
	if (end < POPULATE_BYTES)
		to = end;
	if (to > atomic_load_explicit(&spool->size_bytes, memory_order_relaxed))
		to = atomic_load_explicit(&spool->size_bytes, memory_order_relaxed);
	if (populate_range(spool, from, to)) {
		int err = populate_range(spool, from, end);

		if (err)
			return err;
		to = end;
	}
	while (from < to &&
	       !atomic_compare_exchange_weak_explicit(&spool->populated_bytes, &from, to,
						      memory_order_relaxed, memory_order_relaxed))
		;
	return 0;
}

/* Returns `bytes` bounded by RLIMIT_FSIZE, in whole chunks.  A file that grows past this limit
 * raises SIGXFSZ. */
static uint64_t bounded_by_limit(uint64_t bytes)
{
	struct rlimit limit;

	if (!sys_getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < bytes)
		bytes = limit.rlim_cur;
	return bytes / SPOOL_CHUNK_BYTES * SPOOL_CHUNK_BYTES;
}

/* Populates what every spool needs: the header, and chunks for modules, for the first thread and
 * for its stacks.  Fails if the file system has no room for these.  A lean spool has only the
 * header and the chunk of the thread.  The bytes behind the header are not ours to write: see
 * struct spool_written. */
static int populate_first(struct spool_alloc *spool)
{
	uint64_t header_end =
		(sizeof(struct spool_header) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	uint64_t from = SPOOL_HEADER_CHUNKS * SPOOL_CHUNK_BYTES;
	uint64_t to =
		from + (uint64_t)(spool->lean ? LEAN_CHUNKS : FIRST_CHUNKS) * SPOOL_CHUNK_BYTES;
	int err = populate_range(spool, 0, header_end);

	if (!err)
		err = populate_range(spool, from, to);
	if (!err)
		atomic_store_explicit(&spool->populated_bytes, to, memory_order_relaxed);
	return err;
}

static int open_new(struct spool_alloc *spool, const char *directory, unsigned pid,
		    uint64_t start_ticks)
{
	struct spool_name name = { .pid = pid, .start_ticks = start_ticks };

	for (int attempt = 0; attempt < 16; attempt++) {
		uint64_t random = 0;
		int fd;

		if (sys_getrandom(&random, sizeof(random)) != sizeof(random))
			return -EIO;
		if (!spool_name_make(spool->path, sizeof(spool->path), directory, &name, random))
			return -ENAMETOOLONG;
		fd = sys_open(spool->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			      0600);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

int spool_alloc_create(struct spool_alloc *spool, const char *directory, uint64_t bytes,
		       unsigned pid, uint64_t start_ticks)
{
	void *mapping = NULL;
	int fd, err;

	bytes = bounded_by_limit(bytes);
	if (bytes < LEAST_BYTES)
		return -EFBIG;
	fd = open_new(spool, directory, pid, start_ticks);
	if (fd < 0)
		return fd;
	err = sys_ftruncate(fd, bytes);
	if (err)
		goto err_file;
	err = sys_mmap(&mapping, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd);
	if (err)
		goto err_file;
	/* Without read-ahead: for a page of a file on a disk it reads many more, of a hole zeroes.
	 * Measured with ext4, a forked child uses 4 to 23 ms of CPU time outside of its counters
	 * with it, 2 to 5 ms without.  An error harms nothing. */
	sys_madvise(mapping, bytes, MADV_RANDOM);
	sys_start_apart(mapping);
	spool->header = mapping;
	atomic_store_explicit(&spool->size_bytes, bytes, memory_order_relaxed);
	atomic_store_explicit(&spool->populated_bytes, 0, memory_order_relaxed);
	atomic_store_explicit(&spool->free_list, 0, memory_order_relaxed);
	atomic_store_explicit(&spool->refused, 0, memory_order_relaxed);
	err = populate_first(spool);
	if (err)
		goto err_mapping;
	spool->header->size_bytes = bytes;
	atomic_store_explicit(&spool->header->used_bytes, SPOOL_HEADER_CHUNKS * SPOOL_CHUNK_BYTES,
			      memory_order_relaxed);
	sys_close(fd);
	return 0;

err_mapping:
	sys_munmap(mapping, bytes);
	spool->header = NULL;
err_file:
	sys_close(fd);
	sys_unlink(spool->path);
	return err;
}

static struct spool_chunk *pop_free(struct spool_alloc *spool)
{
	uint64_t head = atomic_load_explicit(&spool->free_list, memory_order_acquire);

	while (FREE_NUMBER(head)) {
		struct spool_chunk *chunk =
			spool_alloc_at(spool, FREE_NUMBER(head) * (uint64_t)SPOOL_CHUNK_BYTES);
		uint64_t next = atomic_load_explicit(&chunk->next, memory_order_relaxed);
		uint64_t tagged = ((head >> 32) + 1) << 32 | FREE_NUMBER(next);

		if (atomic_compare_exchange_weak_explicit(&spool->free_list, &head, tagged,
							  memory_order_acquire,
							  memory_order_acquire))
			return chunk;
	}
	return NULL;
}

static struct spool_chunk *extend(struct spool_alloc *spool, bool last_resort)
{
	_Atomic uint64_t *used_bytes = &spool->header->used_bytes;
	uint64_t used = atomic_load_explicit(used_bytes, memory_order_relaxed);
	uint64_t size = atomic_load_explicit(&spool->size_bytes, memory_order_relaxed);
	uint64_t bound = last_resort ? size : size / 8 * 7;

	do {
		if (used + SPOOL_CHUNK_BYTES > bound || populate(spool, used + SPOOL_CHUNK_BYTES))
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(used_bytes, &used, used + SPOOL_CHUNK_BYTES,
							memory_order_relaxed,
							memory_order_relaxed));
	return spool_alloc_at(spool, used);
}

struct spool_chunk *spool_alloc_take(struct spool_alloc *spool, enum spool_chunk_kind kind,
				     bool last_resort)
{
	uint32_t refused = atomic_load_explicit(&spool->refused, memory_order_relaxed);
	struct spool_chunk *chunk = pop_free(spool);

	if (chunk) {
		/* A reader that still follows the old list sees a chunk of kind FREE.  A thread
		 * that takes from the free list may still read `next`, but then finds its tag
		 * outdated. */
		for (_Atomic uint64_t *word = (void *)chunk,
				      *end = (void *)((char *)chunk + SPOOL_CHUNK_BYTES);
		     word < end; word++)
			atomic_store_explicit(word, 0, memory_order_relaxed);
	} else if (refused % RETRY_AFTER == 0 || last_resort) {
		chunk = extend(spool, last_resort);
	}
	if (!chunk) {
		atomic_fetch_add_explicit(&spool->refused, 1, memory_order_relaxed);
		return NULL;
	}
	if (!last_resort && refused)
		atomic_store_explicit(&spool->refused, 0, memory_order_relaxed);
	atomic_store_explicit(&chunk->kind, kind, memory_order_release);
	return chunk;
}

void *spool_alloc_entry(struct spool_alloc *spool, _Atomic uint64_t *first,
			struct spool_chunk **chunk, enum spool_chunk_kind kind, size_t entry_bytes)
{
	const uint32_t capacity = (uint32_t)((SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD) / entry_bytes);
	_Atomic uint64_t *link = *chunk ? &(*chunk)->next : first;
	uint32_t count =
		*chunk ? atomic_load_explicit(&(*chunk)->count, memory_order_relaxed) : capacity;

	if (count == capacity) {
		struct spool_chunk *more = spool_alloc_take(spool, kind, true);

		if (!more)
			return NULL;
		atomic_store_explicit(link, spool_alloc_offset(spool, more), memory_order_release);
		*chunk = more;
		count = 0;
	}
	return (char *)*chunk + SPOOL_CHUNK_HEAD + count * entry_bytes;
}

void spool_alloc_give(struct spool_alloc *spool, struct spool_chunk *chunk)
{
	uint64_t number = spool_alloc_offset(spool, chunk) / SPOOL_CHUNK_BYTES;
	uint64_t head = atomic_load_explicit(&spool->free_list, memory_order_relaxed);

	atomic_store_explicit(&chunk->kind, SPOOL_CHUNK_FREE, memory_order_relaxed);
	atomic_store_explicit(&chunk->count, 0, memory_order_relaxed);
	do {
		atomic_store_explicit(&chunk->next, FREE_NUMBER(head), memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(&spool->free_list, &head,
							((head >> 32) + 1) << 32 | number,
							memory_order_release,
							memory_order_relaxed));
}

void spool_alloc_shrink(struct spool_alloc *spool, uint64_t room_bytes)
{
	uint64_t old = atomic_load_explicit(&spool->size_bytes, memory_order_relaxed);
	uint64_t size = atomic_load_explicit(&spool->populated_bytes, memory_order_relaxed);

	/* an eighth of the mapping is kept for the last resort */
	size = (size + room_bytes) / 7 * 8 / SPOOL_CHUNK_BYTES * SPOOL_CHUNK_BYTES;
	if (size >= old)
		return;
	atomic_store_explicit(&spool->size_bytes, size, memory_order_relaxed);
	sys_munmap((char *)spool->header + size, old - size);
}

void spool_alloc_add_count(struct spool_alloc *spool, enum spool_count count, uint64_t more)
{
	atomic_fetch_add_explicit(&spool->header->count[count], more, memory_order_relaxed);
}

void spool_alloc_unlink(struct spool_alloc *spool)
{
	if (spool->path[0])
		sys_unlink(spool->path);
	spool->path[0] = '\0';
}

void spool_alloc_abandon(struct spool_alloc *spool)
{
	if (spool->header)
		sys_munmap(spool->header,
			   atomic_load_explicit(&spool->size_bytes, memory_order_relaxed));
	spool->header = NULL;
	spool->path[0] = '\0';
}
