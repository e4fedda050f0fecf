/*
 * A table has one function for each type of record that is needed.  All types but samples may end
 * with a sample_id.  It is removed first, so that texts without a stated length end before it.
 *
 * The fields of a sample follow each other in the kernel's order, that of perf_output_sample() in
 * kernel/events/core.c.  Each field is present only if sample_type asks for it.  Fields that are
 * not needed are passed over, and those behind the last needed one are not read.
 */
#include "runtime/sample/perf/ring.h"

#include <linux/perf_event.h>
#include <string.h>

#define MISC_SWITCH_OUT_PREEMPT (1u << 14) /* names that older headers lack */
#define TYPE_KSYMBOL		17
#define TYPE_NUMBER		18
#define SAMPLE_WEIGHT_STRUCT	(1ULL << 24)
#define BRANCH_HW_INDEX		(1ULL << 17)
#define BRANCH_COUNTERS		(1ULL << 19)
#define FORMAT_LOST		(1ULL << 4)
#define REMOVED			(1ULL << 48) /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, in its word */
#define WORDS_PER_BRANCH	3

#define ID_FIELDS                                                                      \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* One record while it is read word by word, never past its end.  Once `short_of` is set, all reads
 * return 0. */
struct input {
	const struct record_format *format;
	const struct perf_event_header *header;
	const uint64_t *at;
	const uint64_t *end;
	bool short_of;
	struct record *record;
};

static inline uint64_t next(struct input *in)
{
	if (in->at < in->end)
		return *in->at++;
	in->short_of = true;
	return 0;
}

static inline const uint64_t *words(struct input *in, uint64_t count)
{
	const uint64_t *first = in->at;

	if (in->short_of || count > (uint64_t)(in->end - in->at)) {
		in->short_of = true;
		return NULL;
	}
	in->at += count;
	return first;
}

/* Passes over the fields of one word each that the sample has. */
static inline void pass(struct input *in, uint64_t fields)
{
	if (in->format->sample_type & fields)
		words(in, (unsigned)__builtin_popcountll(in->format->sample_type & fields));
}

static void parse_text(struct input *in)
{
	const char *text = (const char *)in->at;
	size_t room = (size_t)((const char *)in->end - text);

	if (!room || !memchr(text, '\0', room))
		in->short_of = true;
	in->record->text = text;
}

static void parse_mmap2(struct input *in)
{
	in->record->kind = RECORD_MAPPED;
	next(in); /* the ids of the thread */
	in->record->start = next(in);
	in->record->bytes = next(in);
	words(in, 5); /* the offset, three words for the file, the protection */
	parse_text(in);
}

static void parse_lost(struct input *in)
{
	in->record->kind = RECORD_LOST;
	if (in->header->type == PERF_RECORD_LOST)
		next(in); /* the id of the counter */
	in->record->lost = next(in);
}

static void parse_throttle(struct input *in)
{
	in->record->kind = RECORD_THROTTLED;
	words(in, 3); /* the time, and two ids */
}

/* All data of this record is in the header and the sample_id.  Without the time it is useless. */
static void parse_switch(struct input *in)
{
	if (!in->format->trailer || !(in->format->sample_type & PERF_SAMPLE_TIME))
		return;
	in->record->preempted = in->header->misc & MISC_SWITCH_OUT_PREEMPT;
	in->record->kind = in->header->misc & PERF_RECORD_MISC_SWITCH_OUT ? RECORD_SWITCHED_OUT
									  : RECORD_SWITCHED_IN;
}

static void parse_ksymbol(struct input *in)
{
	uint64_t word;

	in->record->kind = RECORD_KERNEL_SYMBOL;
	in->record->start = next(in);
	word = next(in); /* its size, type and flags */
	in->record->bytes = (uint32_t)word;
	in->record->removed = word & REMOVED;
	parse_text(in);
}

static void parse_counts(struct input *in)
{
	struct record_counts *counts = &in->record->counts;
	uint64_t read_format = in->format->read_format, count = 1;
	bool group = read_format & PERF_FORMAT_GROUP;

	if (group)
		count = next(in);
	else
		counts->value[0] = next(in);
	if (count > EVENTS_MAX) {
		in->short_of = true;
		return;
	}
	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		counts->enabled_ns = next(in);
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		counts->running_ns = next(in);
	counts->count = (unsigned)count;
	for (unsigned i = 0; i < count; i++) {
		if (group)
			counts->value[i] = next(in);
		if (read_format & PERF_FORMAT_ID)
			next(in);
		counts->lost[i] = read_format & FORMAT_LOST ? next(in) : 0;
	}
}

/* Stores the kernel frames of a chain, without the PERF_CONTEXT_* markers between its parts. */
static void parse_chain(struct input *in)
{
	struct record *record = in->record;
	uint64_t count = next(in);
	const uint64_t *chain = words(in, count);

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

/* A 32-bit size, then the bytes, which start in the same word and are padded to whole words. */
static void pass_raw(struct input *in)
{
	uint64_t size = (uint32_t)next(in);

	words(in, size > 4 ? (size - 4 + 7) / 8 : 0);
}

static void pass_branches(struct input *in)
{
	uint64_t count = next(in), type = in->format->branch_type;

	if (type & BRANCH_HW_INDEX)
		next(in);
	for (unsigned i = type & BRANCH_COUNTERS ? 0 : 1; i <= WORDS_PER_BRANCH; i++)
		words(in, count);
}

static void pass_registers(struct input *in)
{
	if (next(in) != PERF_SAMPLE_REGS_ABI_NONE)
		words(in, (unsigned)__builtin_popcountll(in->format->regs_user));
}

/* The size, the bytes and, if there are any, how many of them were written. */
static void pass_stack(struct input *in)
{
	uint64_t size = next(in);

	words(in, size / 8 + (size % 8 != 0));
	if (size && next(in) > size)
		in->short_of = true;
}

static void parse_tail(struct input *in, uint64_t type)
{
	if (type & PERF_SAMPLE_RAW)
		pass_raw(in);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		pass_branches(in);
	if (type & PERF_SAMPLE_REGS_USER)
		pass_registers(in);
	if (type & PERF_SAMPLE_STACK_USER)
		pass_stack(in);
	pass(in, PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT); /* never both */
	if (type & PERF_SAMPLE_DATA_SRC)
		in->record->data_source = next(in);
}

static void parse_sample(struct input *in)
{
	uint64_t type = in->format->sample_type;
	struct record *record = in->record;

	record->kind = RECORD_SAMPLE;
	pass(in, PERF_SAMPLE_IDENTIFIER);
	if (type & PERF_SAMPLE_IP)
		record->ip = next(in);
	pass(in, PERF_SAMPLE_TID);
	if (type & PERF_SAMPLE_TIME)
		record->time_ns = next(in);
	if (type & PERF_SAMPLE_ADDR)
		record->address = next(in);
	pass(in, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD);
	if (type & PERF_SAMPLE_READ)
		parse_counts(in);
	if (type & PERF_SAMPLE_CALLCHAIN)
		parse_chain(in);
	if (type >> 10) /* PERF_SAMPLE_RAW and all later fields */
		parse_tail(in, type);
}

static void take_trailer(struct input *in)
{
	uint64_t fields = in->format->sample_type & ID_FIELDS;
	unsigned count = (unsigned)__builtin_popcountll(fields);

	if (!in->format->trailer)
		return;
	if (count > (size_t)(in->end - in->at)) {
		in->short_of = true;
		return;
	}
	in->end -= count;
	if (fields & PERF_SAMPLE_TIME)
		in->record->time_ns = in->end[fields & PERF_SAMPLE_TID ? 1 : 0];
}

typedef void parse_record(struct input *in);

static parse_record *const parsers[TYPE_NUMBER] = {
	[PERF_RECORD_LOST] = parse_lost,	 [PERF_RECORD_THROTTLE] = parse_throttle,
	[PERF_RECORD_SAMPLE] = parse_sample,	 [PERF_RECORD_MMAP2] = parse_mmap2,
	[PERF_RECORD_LOST_SAMPLES] = parse_lost, [PERF_RECORD_SWITCH] = parse_switch,
	[TYPE_KSYMBOL] = parse_ksymbol,
};

void record_parse(const struct record_format *format, const void *bytes, size_t size,
		  struct record *record)
{
	const struct perf_event_header *header = bytes;
	struct input in = {
		.format = format,
		.header = header,
		.at = (const void *)(header + 1),
		.end = (const uint64_t *)bytes + size / 8,
		.record = record,
	};

	memset(record, 0, offsetof(struct record, counts.value));
	if (size < sizeof(*header) || header->size != size) {
		record->kind = RECORD_MALFORMED;
		return;
	}
	record->in_kernel =
		(header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	if (header->type >= TYPE_NUMBER || !parsers[header->type])
		return;
	if (header->type != PERF_RECORD_SAMPLE)
		take_trailer(&in);
	parsers[header->type](&in);
	if (in.short_of)
		record->kind = RECORD_MALFORMED;
}
