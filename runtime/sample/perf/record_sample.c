/*
 * The fields of a sample follow each other in the kernel's order, that of perf_output_sample() in
 * kernel/events/core.c (the manual page has AUX too early).  Each field is present only if
 * sample_type asks for it.
 */
#include <linux/perf_event.h>

#include "runtime/sample/perf/record.h"
#include "runtime/sample/perf/record_cursor.h"

#define SAMPLE_CGROUP	      (1ULL << 21) /* names that older headers lack */
#define SAMPLE_DATA_PAGE_SIZE (1ULL << 22)
#define SAMPLE_CODE_PAGE_SIZE (1ULL << 23)
#define SAMPLE_WEIGHT_STRUCT  (1ULL << 24)
#define BRANCH_HW_INDEX	      (1ULL << 17)
#define BRANCH_COUNTERS	      (1ULL << 19)
#define FORMAT_LOST	      (1ULL << 4)
#define WORDS_PER_BRANCH      3

void record_sample_counts(const struct record_format *format, struct record_cursor *cursor,
			  struct record_counts *counts)
{
	bool group = format->read_format & PERF_FORMAT_GROUP;
	uint64_t count = 1;

	if (group)
		count = record_cursor_next(cursor);
	else
		counts->value[0] = record_cursor_next(cursor);
	if (count > EVENTS_MAX) {
		cursor->short_of = true;
		return;
	}
	if (format->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		counts->enabled_ns = record_cursor_next(cursor);
	if (format->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		counts->running_ns = record_cursor_next(cursor);
	counts->count = (unsigned)count;
	for (unsigned i = 0; i < count; i++) {
		if (group)
			counts->value[i] = record_cursor_next(cursor);
		if (format->read_format & PERF_FORMAT_ID)
			record_cursor_next(cursor);
		counts->lost[i] =
			format->read_format & FORMAT_LOST ? record_cursor_next(cursor) : 0;
	}
}

/* Stores the kernel frames of a chain, without the PERF_CONTEXT_* markers between its parts. */
static void parse_chain(struct record_cursor *cursor, struct record *record)
{
	uint64_t count = record_cursor_next(cursor);
	const uint64_t *chain = record_cursor_words(cursor, count);

	if (!chain)
		return;
	record->chain = chain;
	record->chain_depth = (unsigned)count;
	if (count && chain[0] == (uint64_t)PERF_CONTEXT_KERNEL) {
		record->chain++;
		record->chain_depth--;
	}
	for (unsigned i = 0; i < record->chain_depth; i++)
		if (record->chain[i] >= (uint64_t)PERF_CONTEXT_MAX)
			record->chain_depth =
				i; /* the user part follows; our own unwinder does better */
}

/* Reads a 32-bit size and then the bytes, which start in the same word and are padded to whole
 * words. */
static void parse_raw(struct record_cursor *cursor, struct record *record)
{
	const uint8_t *field = (const uint8_t *)cursor->at;
	uint32_t size = (uint32_t)record_cursor_next(cursor);
	uint64_t more = size > 4 ? ((uint64_t)size - 4 + 7) / 8 : 0;

	if (record_cursor_words(cursor, more))
		record->raw = (struct record_bytes){ field + sizeof(size), size };
}

static void parse_branches(const struct record_format *format, struct record_cursor *cursor,
			   struct record *record)
{
	uint64_t count = record_cursor_next(cursor);
	const uint64_t *words;

	if (format->branch_type & BRANCH_HW_INDEX)
		record->branch_index = record_cursor_next(cursor);
	if (count > SIZE_MAX / (8 * WORDS_PER_BRANCH)) {
		cursor->short_of = true;
		return;
	}
	words = record_cursor_words(cursor, count * WORDS_PER_BRANCH);
	if (words)
		record->branches = (struct record_words){ words, (unsigned)count };
	if (format->branch_type & BRANCH_COUNTERS)
		record_cursor_words(cursor, count);
}

static void parse_registers(uint64_t mask, struct record_cursor *cursor, uint64_t *abi,
			    struct record_words *registers)
{
	unsigned count = (unsigned)__builtin_popcountll(mask);
	const uint64_t *words;

	*abi = record_cursor_next(cursor);
	if (*abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	words = record_cursor_words(cursor, count);
	if (words)
		*registers = (struct record_words){ words, count };
}

static void parse_sized(struct record_cursor *cursor, struct record_bytes *bytes)
{
	uint64_t size = record_cursor_next(cursor);
	const uint64_t *words = record_cursor_words(cursor, size / 8 + (size % 8 != 0));

	if (words)
		*bytes = (struct record_bytes){ (const uint8_t *)words, size };
}

/* Of the `size` bytes reserved, only the first dyn_size were written. */
static void parse_stack(struct record_cursor *cursor, struct record *record)
{
	uint64_t written;

	parse_sized(cursor, &record->stack);
	if (!record->stack.count)
		return; /* without a size there is no dyn_size */
	written = record_cursor_next(cursor);
	if (written > record->stack.count)
		cursor->short_of = true;
	else
		record->stack.count = written;
}

static void parse_head(uint64_t type, struct record_cursor *cursor, struct record *record)
{
	uint32_t unused;

	if (type & PERF_SAMPLE_IDENTIFIER)
		record->id = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_IP)
		record->ip = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_TID)
		record_cursor_pair(cursor, &record->pid, &record->tid);
	if (type & PERF_SAMPLE_TIME)
		record->time_ns = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_ADDR)
		record->address = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_ID)
		record->id = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_STREAM_ID)
		record->stream_id = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_CPU)
		record_cursor_pair(cursor, &record->cpu, &unused);
	if (type & PERF_SAMPLE_PERIOD)
		record->period = record_cursor_next(cursor);
}

static void parse_tail(const struct record_format *format, struct record_cursor *cursor,
		       struct record *record)
{
	uint64_t type = format->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		record->weight = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_DATA_SRC)
		record->data_source = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_TRANSACTION)
		record->transaction = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_REGS_INTR)
		parse_registers(format->regs_intr, cursor, &record->regs_intr_abi,
				&record->regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		record->physical_address = record_cursor_next(cursor);
	if (type & SAMPLE_CGROUP)
		record->cgroup = record_cursor_next(cursor);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		record->data_page_bytes = record_cursor_next(cursor);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		record->code_page_bytes = record_cursor_next(cursor);
	if (type & PERF_SAMPLE_AUX)
		parse_sized(cursor, &record->aux);
}

void record_sample_parse(const struct record_format *format, struct record_cursor *cursor,
			 struct record *record)
{
	uint64_t type = format->sample_type;

	record->kind = RECORD_SAMPLE;
	parse_head(type, cursor, record);
	if (type & PERF_SAMPLE_READ)
		record_sample_counts(format, cursor, &record->counts);
	if (type & PERF_SAMPLE_CALLCHAIN)
		parse_chain(cursor, record);
	if (type & PERF_SAMPLE_RAW)
		parse_raw(cursor, record);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		parse_branches(format, cursor, record);
	if (type & PERF_SAMPLE_REGS_USER)
		parse_registers(format->regs_user, cursor, &record->regs_user_abi,
				&record->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		parse_stack(cursor, record);
	if (type >> 14) /* PERF_SAMPLE_WEIGHT and all later fields */
		parse_tail(format, cursor, record);
}
