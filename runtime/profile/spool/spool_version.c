/*
 * Version 4 has no raised periods (raised), no counts of them (REOPENED, COARSE), no takes_ended,
 * no functions of interpreters and no logs: instead, each thread has its eight latest samples,
 * which no reader uses.  It does not say which counters could not be opened, nor what CPU time the
 * process had used before the start; of a module's file it has room for device and inode, which no
 * writer filled.  Chunks and nodes are as today, and so are a thread up to its counts, and a header
 * up to its counts (with padding in place of takes_ended) and from `note` up to first_code.
 */
#include "runtime/profile/spool/spool_check.h"

#include <stdio.h>
#include <string.h>

#define V4_COUNTS_NUMBER 28

struct v4_counter {
	unsigned char same[offsetof(struct spool_counter, raised)];
	unsigned char tail[sizeof(struct spool_counter) - offsetof(struct spool_counter, flags)];
};

struct v4_header {
	unsigned char same[offsetof(struct spool_header, count)];
	uint64_t count[V4_COUNTS_NUMBER];
	struct v4_counter counter[SPOOL_COUNTERS_MAX];
	unsigned char tail[offsetof(struct spool_header, first_code) -
			   offsetof(struct spool_header, note)];
};

struct v4_thread {
	unsigned char same[offsetof(struct spool_thread, count)];
	uint64_t count[V4_COUNTS_NUMBER];
	struct spool_total total[SPOOL_COUNTERS_MAX];
	unsigned char recent[200];
	uint64_t seen_ns;
	uint64_t seen_cpu_ns;
};

struct v4_module {
	unsigned char same[offsetof(struct spool_module, file)];
	uint64_t none[2];
	char path[SPOOL_PATH_MAX];
};

_Static_assert(sizeof(struct v4_counter) == 152, "a counter of version 4");
_Static_assert(sizeof(struct v4_header) == 19560, "the header of version 4");
_Static_assert(sizeof(struct v4_thread) == SPOOL_VERSION_THREAD_MAX, "a thread of version 4");
_Static_assert(sizeof(struct spool_thread) <= SPOOL_VERSION_THREAD_MAX, "and one of today");
_Static_assert(sizeof(struct v4_module) == 976, "a module of version 4");

/* The current indices of the last counts of version 4; those before them kept theirs. */
static const unsigned char moved_counts[] = {
	SPOOL_COUNT_HANDLER_NS,	   SPOOL_COUNT_ATTACH_FAILED, SPOOL_COUNT_DEGRADED,
	SPOOL_COUNT_THREADS_ENDED, SPOOL_COUNT_CPU_NS,
};

#define SAME_COUNTS (V4_COUNTS_NUMBER - sizeof(moved_counts))

bool spool_version_is_known(uint32_t version, const char *name, char *line, size_t bytes)
{
	if (version == 4 || version == SPOOL_VERSION)
		return true;
	snprintf(line, bytes,
		 "%s: this spool has format version %u; flametrap " FLAMETRAP_VERSION
		 " reads versions 4 and %u, and %s flametrap reads it",
		 name, version, SPOOL_VERSION, version > SPOOL_VERSION ? "a newer" : "an older");
	return false;
}

uint32_t spool_version_header_bytes(uint32_t version)
{
	return version == 4 ? sizeof(struct v4_header) : sizeof(struct spool_header);
}

uint32_t spool_version_thread_bytes(uint32_t version)
{
	return version == 4 ? sizeof(struct v4_thread) : sizeof(struct spool_thread);
}

uint32_t spool_version_module_bytes(uint32_t version)
{
	return version == 4 ? sizeof(struct v4_module) : sizeof(struct spool_module);
}

static void move_counts(_Atomic uint64_t *to, const uint64_t *from)
{
	for (unsigned i = 0; i < V4_COUNTS_NUMBER; i++)
		to[i < SAME_COUNTS ? i : moved_counts[i - SAME_COUNTS]] = from[i];
}

static void move_counter(struct spool_counter *to, const struct v4_counter *from)
{
	memcpy(to, from->same, sizeof(from->same));
	memcpy((char *)to + offsetof(struct spool_counter, flags), from->tail, sizeof(from->tail));
}

void spool_version_header(struct spool_header *header)
{
	struct v4_header old;

	if (header->version != 4)
		return;
	memcpy(&old, header, sizeof(old));
	memset(header, 0, sizeof(*header));
	memcpy(header, old.same, sizeof(old.same));
	header->takes_ended = 0; /* padding in version 4 */
	move_counts(header->count, old.count);
	for (unsigned i = 0; i < SPOOL_COUNTERS_MAX; i++)
		move_counter(&header->counter[i], &old.counter[i]);
	memcpy((char *)header + offsetof(struct spool_header, note), old.tail, sizeof(old.tail));
}

void spool_version_thread(uint32_t version, const void *bytes, struct spool_thread *thread)
{
	struct v4_thread old;

	if (version != 4) {
		memcpy(thread, bytes, sizeof(*thread));
		return;
	}
	memcpy(&old, bytes, sizeof(old));
	memset(thread, 0, sizeof(*thread));
	memcpy(thread, old.same, sizeof(old.same));
	move_counts(thread->count, old.count);
	memcpy(thread->total, old.total, sizeof(old.total));
	thread->seen_ns = old.seen_ns;
	thread->seen_cpu_ns = old.seen_cpu_ns;
}

void spool_version_module(uint32_t version, const void *bytes, struct spool_module *module)
{
	const struct v4_module *old = bytes;

	if (version != 4) {
		memcpy(module, bytes, sizeof(*module));
		return;
	}
	memset(module, 0, sizeof(*module));
	memcpy(module, old->same, sizeof(old->same));
	memcpy(module->path, old->path, sizeof(module->path));
}
