/*
 * Older versions differ only by insertions, so their parts are moved to their new places.
 */
#include "runtime/profile/spool/spool_version.h"

#include <stdio.h>
#include <string.h>

#include "runtime/spool/format_4.h"
#include "runtime/spool/format_7.h"
#include "runtime/spool/format_8.h"

/* The current indices of the last counts of version 4; those before them kept theirs. */
static const unsigned char moved_counts[] = {
	SPOOL_COUNT_HANDLER_NS,	   SPOOL_COUNT_ATTACH_FAILED, SPOOL_COUNT_DEGRADED,
	SPOOL_COUNT_THREADS_ENDED, SPOOL_COUNT_CPU_NS,
};

#define SAME_COUNTS (SPOOL_4_COUNTS_NUMBER - sizeof(moved_counts))

_Static_assert(sizeof(struct spool_4_thread) <= SPOOL_VERSION_THREAD_MAX &&
		       sizeof(struct spool_thread) <= SPOOL_VERSION_THREAD_MAX,
	       "the largest thread");

bool spool_version_is_known(uint32_t version, const char *name, char *line, size_t bytes)
{
	if (version == 4 || (version >= 7 && version <= SPOOL_VERSION))
		return true;
	snprintf(line, bytes,
		 "%s: this spool has format version %u; flametrap " FLAMETRAP_VERSION
		 " reads versions 4 and 7 to %u, and %s flametrap reads it",
		 name, version, SPOOL_VERSION, version > SPOOL_VERSION ? "a newer" : "an older");
	return false;
}

uint32_t spool_version_header_bytes(uint32_t version)
{
	switch (version) {
	case 4:
		return sizeof(struct spool_4_header);
	case 7:
		return SPOOL_7_HEADER_BYTES;
	case 8:
		return SPOOL_8_HEADER_BYTES;
	default:
		return sizeof(struct spool_header);
	}
}

uint32_t spool_version_thread_bytes(uint32_t version)
{
	switch (version) {
	case 4:
		return sizeof(struct spool_4_thread);
	case 7:
		return SPOOL_7_THREAD_BYTES;
	default:
		return sizeof(struct spool_thread);
	}
}

uint32_t spool_version_module_bytes(uint32_t version)
{
	return version < 8 ? sizeof(struct spool_7_module) : sizeof(struct spool_module);
}

static void move_counts(_Atomic uint64_t *to, const uint64_t *from)
{
	for (unsigned i = 0; i < SPOOL_4_COUNTS_NUMBER; i++)
		to[i < SAME_COUNTS ? i : moved_counts[i - SAME_COUNTS]] = from[i];
}

static void move_counter(struct spool_counter *to, const struct spool_4_counter *from)
{
	memcpy(to->name, from->name, sizeof(to->name));
	to->unit = from->unit;
	to->leader = from->leader;
	to->period = from->period;
	to->frequency_hz = from->frequency_hz;
	to->flags = from->flags;
	to->missing = from->missing;
	memcpy(to->scale, from->scale, sizeof(to->scale));
	memcpy(to->measure, from->measure, sizeof(to->measure));
}

static void header_of_4(struct spool_header *header)
{
	struct spool_4_header old;

	memcpy(&old, header, sizeof(old));
	memset(header, 0, sizeof(*header));
	memcpy(header, old.same, sizeof(old.same));
	header->start_ticks = old.start_ticks;
	header->start_realtime_ns = old.start_realtime_ns;
	header->start_ns = old.start_ns;
	header->end_ns = old.end_ns;
	header->cpu_ns = old.cpu_ns;
	move_counts(header->count, old.count);
	for (unsigned i = 0; i < SPOOL_COUNTERS_MAX; i++)
		move_counter(&header->counter[i], &old.counter[i]);
	memcpy((char *)header + offsetof(struct spool_header, note), old.tail, sizeof(old.tail));
}

void spool_version_header(struct spool_header *header)
{
	if (header->version == 4)
		header_of_4(header);
	else if (header->version == 7)
		memset(header->lack, 0, sizeof(*header) - offsetof(struct spool_header, lack));
	else if (header->version == 8)
		header->before_ns = 0;
}

static void thread_of_4(const void *bytes, struct spool_thread *thread)
{
	struct spool_4_thread old;

	memcpy(&old, bytes, sizeof(old));
	memcpy(thread, old.same, sizeof(old.same));
	move_counts(thread->count, old.count);
	memcpy(thread->total, old.total, sizeof(old.total));
	thread->seen_ns = old.seen_ns;
	thread->seen_cpu_ns = old.seen_cpu_ns;
}

void spool_version_thread(uint32_t version, const void *bytes, struct spool_thread *thread)
{
	memset(thread, 0, sizeof(*thread));
	if (version == 4)
		thread_of_4(bytes, thread);
	else
		memcpy(thread, bytes, spool_version_thread_bytes(version));
}

void spool_version_module(uint32_t version, const void *bytes, struct spool_module *module)
{
	const struct spool_7_module *old = bytes;

	if (version >= 8) {
		memcpy(module, bytes, sizeof(*module));
		return;
	}
	memset(module, 0, sizeof(*module));
	memcpy(module, old->same, sizeof(old->same));
	memcpy(module->path, old->path, sizeof(module->path));
}
