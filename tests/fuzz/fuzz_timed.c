/* Formats with time, written from a hostile spool: a Perfetto trace refers only to what it has
 * interned, JSON is complete, and lines are whole. */
#include <zlib.h>
#include <perfetto.pb-c.h>

#include "runtime/output/formats/format_content.h"
#include "runtime/output/formats/speedscope.h"
#include "runtime/output/formats/timed.h"
#include "tests/fuzz/changed_spool.h"
#include "tests/support/written.h"

#define CHUNKS	 12 /* one more than are in use */
#define COUNTERS 3
#define JSON_MAX (1 << 24)

static void take(struct spool_builder *builder, struct spool_builder_thread *thread, uint32_t node,
		 unsigned i)
{
	for (unsigned counter = 0; counter < COUNTERS; counter++) {
		struct spool_builder_sample sample = {
			.time_ns = 1000000 + 9876543 * (uint64_t)i,
			.node = node,
			.counter = counter,
			.member = counter > 0,
			.samples = !counter,
			.events = 100000 * (i + counter),
		};

		spool_builder_take(builder, thread, &sample);
	}
}

static struct spool_builder base(void)
{
	struct spool_builder builder = spool_builder_new(COUNTERS, 1 << 20);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "\xff\" (x) ");
	struct spool_header *header = spool_builder_header(&builder);
	uint32_t node = 0, set = spool_builder_label(&builder, 0, "k\n", "\xfe");

	header->counter[0].unit = SPOOL_UNIT_NS;
	header->counter[1].unit = SPOOL_UNIT_NS;
	header->counter[1].flags = SPOOL_COUNTER_OFF_CPU;
	spool_builder_module(&builder, 0x10000, 0x30000, 0x10000, "/no/pro gram")->build_id_bytes =
		20;
	for (unsigned i = 0; i < 16; i++) {
		node = spool_builder_node(&builder, &thread, 0x10000 + i * 0x1000,
					  i % 5 ? node : 0);
		take(&builder, &thread, node, i);
		spool_builder_labels(&builder, &thread, i % 6 < 3 ? set : 0);
	}
	node = spool_builder_node(&builder, &thread, 0xffffffff81000000, node);
	take(&builder, &thread, node, 17);
	spool_builder_mark(&builder, NULL, SPOOL_MARK_LOAD, 2000000, 0x10000);
	spool_builder_mark(&builder, &thread, SPOOL_MARK_SLOWER, 3000000, 1 | 5000 << 4);
	return builder;
}

/* What a sequence has interned. */
struct sequence {
	uint64_t mappings;
	uint64_t frames;
	bool *stacks; /* by iid */
};

static void intern(struct sequence *sequence, const Perfetto__InternedData *data, size_t most)
{
	for (size_t i = 0; i < data->n_mappings; i++)
		CHECK(data->mappings[i]->iid == ++sequence->mappings);
	for (size_t i = 0; i < data->n_frames; i++) {
		CHECK(data->frames[i]->iid == ++sequence->frames);
		CHECK(data->frames[i]->mapping_id <= sequence->mappings);
	}
	for (size_t i = 0; i < data->n_callstacks; i++) {
		const Perfetto__Callstack *stack = data->callstacks[i];

		CHECK(stack->iid && stack->iid <= most && stack->n_frame_ids);
		for (size_t k = 0; k < stack->n_frame_ids; k++)
			CHECK(stack->frame_ids[k] && stack->frame_ids[k] <= sequence->frames);
		sequence->stacks[stack->iid] = true;
	}
}

static void check_perfetto(const struct profile *profile, const char *text, size_t bytes)
{
	Perfetto__Trace *trace = perfetto__trace__unpack(NULL, bytes, (const uint8_t *)text);
	struct sequence sequence[SPOOL_COUNTERS_MAX + 2] = { 0 };
	struct timed timed;
	size_t most;

	CHECK(trace && !timed_make(&timed, profile, SETTINGS_WEIGHT_AUTO));
	most = timed.stack_count;
	timed_free(&timed);
	for (size_t i = 0; i < trace->n_packet; i++) {
		const Perfetto__Packet *packet = trace->packet[i];
		struct sequence *at = &sequence[packet->trusted_packet_sequence_id];

		CHECK(packet->trusted_packet_sequence_id <= SPOOL_COUNTERS_MAX + 1);
		if (!at->stacks)
			at->stacks = calloc(most + 1, sizeof(*at->stacks));
		if (packet->interned_data)
			intern(at, packet->interned_data, most);
		if (packet->perf_sample && packet->perf_sample->callstack_iid)
			CHECK(packet->perf_sample->callstack_iid <= most &&
			      at->stacks[packet->perf_sample->callstack_iid]);
	}
	for (size_t i = 0; i < SPOOL_COUNTERS_MAX + 2; i++)
		free(sequence[i].stacks);
	perfetto__trace__free_unpacked(trace, NULL);
}

/* One object, and a line's end at the most. */
static void check_object(const char *text, size_t bytes)
{
	CHECK(check_json(text, bytes) + 1 >= bytes);
}

static void check_firefox(const struct profile *profile, const char *packed, size_t bytes)
{
	static char text[JSON_MAX];
	z_stream stream = { .next_in = (Bytef *)packed,
			    .avail_in = (uInt)bytes,
			    .next_out = (Bytef *)text,
			    .avail_out = sizeof(text) };
	int status;

	(void)profile;
	CHECK(inflateInit2(&stream, 15 + 16) == Z_OK);
	status = inflate(&stream, Z_FINISH);
	CHECK(status == Z_STREAM_END || status == Z_BUF_ERROR); /* the text is very long */
	inflateEnd(&stream);
	if (status == Z_STREAM_END)
		check_object(text, stream.total_out);
}

static void check_perfscript(const struct profile *profile, const char *text, size_t bytes)
{
	(void)profile;
	CHECK(!bytes || (bytes > 2 && text[bytes - 1] == '\n' && text[bytes - 2] == '\n'));
	check_characters(text, bytes);
}

static void check_speedscope(const struct profile *profile, const char *text, size_t bytes)
{
	(void)profile;
	check_object(text, bytes);
}

static int write_speedscope(const struct format_content *content, FILE *file)
{
	const struct profile *profile = content->profile;
	struct speedscope_options options = { .title = "\xff",
					      .timed = timed_has_all(profile) ? profile : NULL };

	return speedscope_write(NULL, 0, &options, file);
}

static void write_and_check(struct profile *profile, format_writer *write,
			    void (*check)(const struct profile *, const char *, size_t))
{
	CHECK(!write(&(struct format_content){ .profile = profile }, written_begin()));
	written_end();
	check(profile, written.text, written.bytes);
}

static void write_all(struct profile *profile)
{
	write_and_check(profile, write_speedscope, check_speedscope);
	if (!timed_is_possible(profile))
		return;
	write_and_check(profile, format_firefox, check_firefox);
	write_and_check(profile, format_perfetto, check_perfetto);
	write_and_check(profile, format_perfscript, check_perfscript);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_options options = { .inlined = true, .timeline = true, .locations = true };

	changed_spool_use(base(), CHUNKS, &options, write_all, data, size);
	return 0;
}
