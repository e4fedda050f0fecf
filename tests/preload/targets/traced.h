/* A thread's record as OTEP 4947 lays it out, byte by byte, and how a writer changes it. */
#ifndef TESTS_TRACED_H
#define TESTS_TRACED_H

#include "tests/preload/targets/target.h"

struct traced_record {
	uint8_t trace_id[16];
	uint8_t span_id[8];
	uint8_t valid;
	uint8_t trace_flags;
	uint16_t attrs_data_size;
	uint8_t attrs_data[12];
} __attribute__((packed, aligned(2)));

_Static_assert(__builtin_offsetof(struct traced_record, attrs_data) == 28, "header of 28 bytes");

/* Every byte of the trace is `trace`, every byte of the span is `span`. */
static inline void traced_fill(struct traced_record *record, int trace, int span)
{
	static const uint8_t attributes[] = { 0, 3, 'G', 'E', 'T' };

	*(volatile uint8_t *)&record->valid = 0;
	atomic_signal_fence(memory_order_seq_cst);
	memset(record->trace_id, trace, sizeof(record->trace_id));
	memset(record->span_id, span, sizeof(record->span_id));
	record->trace_flags = 1;
	record->attrs_data_size = sizeof(attributes);
	memcpy(record->attrs_data, attributes, sizeof(attributes));
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint8_t *)&record->valid = 1;
}

/* Use so much CPU time. */
static inline void traced_burn(unsigned ms)
{
	work_burn((uint64_t)ms * 1000000);
}

#endif
