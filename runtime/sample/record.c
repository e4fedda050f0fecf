/*
 * Fields of a sample follow each other in the kernel's order (perf_event_open(2),
 * PERF_RECORD_SAMPLE); each is there only if sample_type asks for it.
 */
#include "runtime/sample/record.h"

#include <linux/perf_event.h>
#include <string.h>

/* A cursor that never runs past its end: once `short_of` is set all reads give 0. */
struct cursor {
	const uint64_t *at;
	const uint64_t *end;
	bool short_of;
};

static uint64_t next(struct cursor *cursor)
{
	if (cursor->at < cursor->end)
		return *cursor->at++;
	cursor->short_of = true;
	return 0;
}

static void skip_if(struct cursor *cursor, const struct record_format *format, uint64_t field)
{
	if (format->sample_type & field)
		next(cursor);
}

static void parse_counts(const struct record_format *format, struct cursor *cursor,
			 struct record_counts *counts)
{
	uint64_t count = format->read_format & PERF_FORMAT_GROUP ? next(cursor) : 1;

	if (!(format->read_format & PERF_FORMAT_GROUP) || count > EVENTS_MAX) {
		cursor->short_of = true; /* we always ask for groups */
		return;
	}
	if (format->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		counts->enabled_ns = next(cursor);
	if (format->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		counts->running_ns = next(cursor);
	counts->count = (unsigned)count;
	for (unsigned i = 0; i < count; i++) {
		counts->value[i] = next(cursor);
		if (format->read_format & PERF_FORMAT_ID)
			next(cursor);
		counts->lost[i] = format->read_format & PERF_FORMAT_LOST ? next(cursor) : 0;
	}
}

/* Kernel frames of a chain, without the PERF_CONTEXT_* markers between its parts. */
static void parse_chain(struct cursor *cursor, struct record *record)
{
	uint64_t count = next(cursor);

	if (count > (uint64_t)(cursor->end - cursor->at)) {
		cursor->short_of = true;
		return;
	}
	record->chain = cursor->at;
	record->chain_depth = (unsigned)count;
	cursor->at += count;
	if (count && record->chain[0] == (uint64_t)PERF_CONTEXT_KERNEL) {
		record->chain++;
		record->chain_depth--;
	}
	for (unsigned i = 0; i < record->chain_depth; i++)
		if (record->chain[i] >= (uint64_t)PERF_CONTEXT_MAX)
			record->chain_depth = i; /* the user part follows: ours is better */
}

static void parse_sample(const struct record_format *format, struct cursor *cursor,
			 struct record *record)
{
	record->kind = RECORD_SAMPLE;
	skip_if(cursor, format, PERF_SAMPLE_IDENTIFIER);
	skip_if(cursor, format, PERF_SAMPLE_IP);
	skip_if(cursor, format, PERF_SAMPLE_TID);
	if (format->sample_type & PERF_SAMPLE_TIME)
		record->time_ns = next(cursor);
	skip_if(cursor, format, PERF_SAMPLE_ADDR);
	skip_if(cursor, format, PERF_SAMPLE_ID);
	skip_if(cursor, format, PERF_SAMPLE_STREAM_ID);
	skip_if(cursor, format, PERF_SAMPLE_CPU);
	if (format->sample_type & PERF_SAMPLE_PERIOD)
		record->period = next(cursor);
	if (format->sample_type & PERF_SAMPLE_READ)
		parse_counts(format, cursor, &record->counts);
	if (format->sample_type & PERF_SAMPLE_CALLCHAIN)
		parse_chain(cursor, record);
}

/* Of the sample_id that ends a record (sample_id_all), the time comes first but for the ids. */
static void parse_switch(const struct record_format *format, bool out, uint16_t misc,
			 struct cursor *cursor, struct record *record)
{
	if (!format->trailer || !(format->sample_type & PERF_SAMPLE_TIME))
		return;
	skip_if(cursor, format, PERF_SAMPLE_TID);
	record->time_ns = next(cursor);
	record->preempted = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	record->kind = out ? RECORD_SWITCHED_OUT : RECORD_SWITCHED_IN;
}

static void parse_comm(const void *bytes, size_t size, struct record *record)
{
	const char *comm =
		(const char *)bytes + sizeof(struct perf_event_header) + 8; /* pid, tid */

	if (size <= sizeof(struct perf_event_header) + 8 ||
	    !memchr(comm, '\0', size - sizeof(struct perf_event_header) - 8))
		return;
	record->comm = comm;
	record->kind = RECORD_COMM;
}

void record_parse(const struct record_format *format, const void *bytes, size_t size,
		  struct record *record)
{
	const struct perf_event_header *header = bytes;
	struct cursor cursor = { .at = (const void *)(header + 1),
				 .end = (const uint64_t *)bytes + size / 8 };

	memset(record, 0, offsetof(struct record, counts.value));
	record->lost = 0;
	record->comm = NULL;
	if (size < sizeof(*header) || header->size != size) {
		record->kind = RECORD_MALFORMED;
		return;
	}
	record->in_kernel =
		(header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		parse_sample(format, &cursor, record);
		break;
	case PERF_RECORD_LOST:
		next(&cursor); /* id */
		record->lost = next(&cursor);
		record->kind = RECORD_LOST;
		break;
	case PERF_RECORD_LOST_SAMPLES:
		record->lost = next(&cursor);
		record->kind = RECORD_LOST;
		break;
	case PERF_RECORD_THROTTLE:
		record->kind = RECORD_THROTTLED;
		break;
	case PERF_RECORD_SWITCH:
		parse_switch(format, header->misc & PERF_RECORD_MISC_SWITCH_OUT, header->misc,
			     &cursor, record);
		break;
	case PERF_RECORD_COMM:
		parse_comm(bytes, size, record);
		break;
	default:
		break;
	}
	if (cursor.short_of)
		record->kind = RECORD_MALFORMED;
}
