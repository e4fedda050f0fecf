/*
 * A table has one function per record type.  All types but samples may end with a sample_id.  It is
 * removed first, so that texts without a stated length end before it.
 */
#include "runtime/sample/perf/record.h"

#include <linux/perf_event.h>
#include <string.h>

#include "runtime/sample/perf/record_cursor.h"

#define MISC_SWITCH_OUT_PREEMPT (1u << 14) /* names that older headers lack */
#define MISC_MMAP_BUILD_ID	(1u << 14)
#define TYPE_SWITCH_CPU_WIDE	15
#define TYPE_NAMESPACES		16
#define TYPE_KSYMBOL		17
#define TYPE_BPF_EVENT		18
#define TYPE_CGROUP		19
#define TYPE_TEXT_POKE		20
#define TYPE_AUX_OUTPUT_HW_ID	21
#define TYPE_NUMBER		22

#define ID_FIELDS                                                                      \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* One record while it is parsed from bytes into fields. */
struct reading {
	const struct record_format *format;
	const struct perf_event_header *header;
	struct record_cursor cursor;
	struct record *record;
};

static const uint64_t *words(struct record_cursor *cursor, uint64_t count)
{
	return record_cursor_words(cursor, count);
}

static uint64_t next(struct record_cursor *cursor)
{
	return record_cursor_next(cursor);
}

static void parse_ids(struct record_cursor *cursor, struct record *record)
{
	record_cursor_pair(cursor, &record->pid, &record->tid);
}

/* Reads the rest of the record: a padded text with its NUL. */
static const char *parse_text(struct record_cursor *cursor)
{
	const char *text = (const char *)cursor->at;
	size_t room = (size_t)((const char *)cursor->end - text);

	if (room && memchr(text, '\0', room)) {
		cursor->at = cursor->end;
		return text;
	}
	cursor->short_of = true;
	return NULL;
}

static void parse_inode_or_build_id(bool build_id, struct record_cursor *cursor,
				    struct record_mapping *mapping)
{
	const uint8_t *bytes = (const uint8_t *)cursor->at;

	record_cursor_pair(cursor, &mapping->major, &mapping->minor);
	mapping->inode = next(cursor);
	mapping->inode_generation = next(cursor);
	mapping->has_inode = !build_id;
	if (!build_id || cursor->short_of)
		return;
	mapping->major = mapping->minor = 0;
	mapping->inode = mapping->inode_generation = 0;
	if (bytes[0] > RECORD_BUILD_ID_MAX) {
		cursor->short_of = true;
		return;
	}
	mapping->has_build_id = true;
	mapping->build_id_bytes = bytes[0];
	mapping->build_id = bytes + 4;
}

static void parse_mmap(struct reading *in)
{
	struct record_mapping *mapping = &in->record->mapping;

	in->record->kind = RECORD_MAPPED;
	parse_ids(&in->cursor, in->record);
	mapping->start = next(&in->cursor);
	mapping->bytes = next(&in->cursor);
	mapping->offset = next(&in->cursor);
	mapping->data = in->header->misc & PERF_RECORD_MISC_MMAP_DATA;
	if (in->header->type == PERF_RECORD_MMAP2) {
		parse_inode_or_build_id(in->header->misc & MISC_MMAP_BUILD_ID, &in->cursor,
					mapping);
		record_cursor_pair(&in->cursor, &mapping->protection, &mapping->flags);
	}
	in->record->text = parse_text(&in->cursor);
}

static void parse_lost(struct reading *in)
{
	in->record->kind = RECORD_LOST;
	if (in->header->type == PERF_RECORD_LOST)
		in->record->id = next(&in->cursor);
	in->record->lost = next(&in->cursor);
}

static void parse_comm(struct reading *in)
{
	in->record->kind = RECORD_COMM;
	in->record->executed = in->header->misc & PERF_RECORD_MISC_COMM_EXEC;
	parse_ids(&in->cursor, in->record);
	in->record->comm = parse_text(&in->cursor);
}

static void parse_life(struct reading *in)
{
	in->record->kind = in->header->type == PERF_RECORD_FORK ? RECORD_STARTED : RECORD_ENDED;
	record_cursor_pair(&in->cursor, &in->record->pid, &in->record->parent_pid);
	record_cursor_pair(&in->cursor, &in->record->tid, &in->record->parent_tid);
	in->record->time_ns = next(&in->cursor);
}

static void parse_throttle(struct reading *in)
{
	in->record->kind =
		in->header->type == PERF_RECORD_THROTTLE ? RECORD_THROTTLED : RECORD_UNTHROTTLED;
	in->record->time_ns = next(&in->cursor);
	in->record->id = next(&in->cursor);
	in->record->stream_id = next(&in->cursor);
}

static void parse_read(struct reading *in)
{
	in->record->kind = RECORD_READ;
	parse_ids(&in->cursor, in->record);
	record_sample_counts(in->format, &in->cursor, &in->record->counts);
}

static void parse_sample(struct reading *in)
{
	in->record->exact = in->header->misc & PERF_RECORD_MISC_EXACT_IP;
	record_sample_parse(in->format, &in->cursor, in->record);
}

static void parse_aux(struct reading *in)
{
	in->record->kind = RECORD_AUX;
	in->record->area.offset = next(&in->cursor);
	in->record->area.bytes = next(&in->cursor);
	in->record->area.flags = next(&in->cursor);
}

static void parse_trace(struct reading *in)
{
	in->record->kind = RECORD_TRACED;
	parse_ids(&in->cursor, in->record);
}

/* All data of this record is in the header and the sample_id, except that a CPU-wide record also
 * names the other thread.  Without the time the record is useless. */
static void parse_switch(struct reading *in)
{
	if (in->header->type == TYPE_SWITCH_CPU_WIDE)
		record_cursor_pair(&in->cursor, &in->record->parent_pid, &in->record->parent_tid);
	if (!in->format->trailer || !(in->format->sample_type & PERF_SAMPLE_TIME))
		return;
	in->record->preempted = in->header->misc & MISC_SWITCH_OUT_PREEMPT;
	in->record->kind = in->header->misc & PERF_RECORD_MISC_SWITCH_OUT ? RECORD_SWITCHED_OUT
									  : RECORD_SWITCHED_IN;
}

static void parse_namespaces(struct reading *in)
{
	uint64_t count;

	in->record->kind = RECORD_NAMESPACES;
	parse_ids(&in->cursor, in->record);
	count = next(&in->cursor);
	if (count > SIZE_MAX / 16) {
		in->cursor.short_of = true;
		return;
	}
	in->record->namespaces.word = words(&in->cursor, 2 * count);
	in->record->namespaces.count = in->record->namespaces.word ? (unsigned)count : 0;
}

static void parse_ksymbol(struct reading *in)
{
	uint32_t type_and_flags;

	in->record->kind = RECORD_KERNEL_SYMBOL;
	in->record->symbol.start = next(&in->cursor);
	record_cursor_pair(&in->cursor, &in->record->symbol.bytes, &type_and_flags);
	in->record->symbol.type = (uint16_t)type_and_flags;
	in->record->symbol.removed = type_and_flags >> 16 & 1; /* ..._FLAGS_UNREGISTER */
	in->record->text = parse_text(&in->cursor);
}

static void parse_bpf(struct reading *in)
{
	uint32_t type_and_flags;

	in->record->kind = RECORD_BPF;
	record_cursor_pair(&in->cursor, &type_and_flags, &in->record->bpf.program);
	in->record->bpf.type = (uint16_t)type_and_flags;
	in->record->bpf.flags = (uint16_t)(type_and_flags >> 16);
	in->record->bpf.tag = (const uint8_t *)words(&in->cursor, 1);
}

static void parse_cgroup(struct reading *in)
{
	in->record->kind = RECORD_CGROUP;
	in->record->id = next(&in->cursor);
	in->record->text = parse_text(&in->cursor);
}

/* Reads two 16-bit sizes and then that many bytes.  The first four bytes share a word with the
 * sizes. */
static void parse_poke(struct reading *in)
{
	uint32_t sizes, unused, total;
	const uint8_t *code;

	in->record->kind = RECORD_POKED;
	in->record->symbol.start = next(&in->cursor);
	code = (const uint8_t *)in->cursor.at + sizeof(sizes);
	record_cursor_pair(&in->cursor, &sizes, &unused);
	in->record->symbol.old_bytes = (uint16_t)sizes;
	in->record->symbol.new_bytes = (uint16_t)(sizes >> 16);
	total = (uint32_t)in->record->symbol.old_bytes + in->record->symbol.new_bytes;
	if (words(&in->cursor, total > 4 ? (total - 4 + 7) / 8 : 0))
		in->record->symbol.code = code;
}

static void parse_aux_id(struct reading *in)
{
	in->record->kind = RECORD_AUX_ID;
	in->record->id = next(&in->cursor);
}

/* Removes struct sample_id from the end of any record but a sample. */
static void take_trailer(struct reading *in)
{
	uint64_t fields = in->format->sample_type & ID_FIELDS;
	unsigned count = (unsigned)__builtin_popcountll(fields);
	struct record_cursor trailer = { .end = in->cursor.end };
	uint32_t unused;

	if (!in->format->trailer)
		return;
	if (count > (size_t)(in->cursor.end - in->cursor.at)) {
		in->cursor.short_of = true;
		return;
	}
	in->cursor.end -= count;
	trailer.at = in->cursor.end;
	if (fields & PERF_SAMPLE_TID)
		parse_ids(&trailer, in->record);
	if (fields & PERF_SAMPLE_TIME)
		in->record->time_ns = next(&trailer);
	if (fields & PERF_SAMPLE_ID)
		in->record->id = next(&trailer);
	if (fields & PERF_SAMPLE_STREAM_ID)
		in->record->stream_id = next(&trailer);
	if (fields & PERF_SAMPLE_CPU)
		record_cursor_pair(&trailer, &in->record->cpu, &unused);
}

typedef void parse_record(struct reading *in);

static parse_record *const parsers[TYPE_NUMBER] = {
	[PERF_RECORD_MMAP] = parse_mmap,
	[PERF_RECORD_LOST] = parse_lost,
	[PERF_RECORD_COMM] = parse_comm,
	[PERF_RECORD_EXIT] = parse_life,
	[PERF_RECORD_THROTTLE] = parse_throttle,
	[PERF_RECORD_UNTHROTTLE] = parse_throttle,
	[PERF_RECORD_FORK] = parse_life,
	[PERF_RECORD_READ] = parse_read,
	[PERF_RECORD_SAMPLE] = parse_sample,
	[PERF_RECORD_MMAP2] = parse_mmap,
	[PERF_RECORD_AUX] = parse_aux,
	[PERF_RECORD_ITRACE_START] = parse_trace,
	[PERF_RECORD_LOST_SAMPLES] = parse_lost,
	[PERF_RECORD_SWITCH] = parse_switch,
	[TYPE_SWITCH_CPU_WIDE] = parse_switch,
	[TYPE_NAMESPACES] = parse_namespaces,
	[TYPE_KSYMBOL] = parse_ksymbol,
	[TYPE_BPF_EVENT] = parse_bpf,
	[TYPE_CGROUP] = parse_cgroup,
	[TYPE_TEXT_POKE] = parse_poke,
	[TYPE_AUX_OUTPUT_HW_ID] = parse_aux_id,
};

void record_parse(const struct record_format *format, const void *bytes, size_t size,
		  struct record *record)
{
	const struct perf_event_header *header = bytes;
	struct reading in = {
		.format = format,
		.header = header,
		.cursor = { .at = (const void *)(header + 1),
			    .end = (const uint64_t *)bytes + size / 8 },
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
	if (in.cursor.short_of)
		record->kind = RECORD_MALFORMED;
}
