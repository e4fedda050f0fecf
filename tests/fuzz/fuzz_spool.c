/* For any contents of a spool: reading it ends, stays inside it, and gives a tree that can be
 * folded, and logs whose entries refer to it.  Two adjacent windows have all of the logs. */
#include "runtime/profile/time/window.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/modules.h"
#include "tests/fuzz/changed_spool.h"

static void check_code(const struct spool_read *spool, const struct spool_code *code)
{
	const struct spool_text texts[] = { code->name, code->qualified, code->file, code->table };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		CHECK((uint64_t)texts[i].at + texts[i].bytes <= spool->text_bytes &&
		      texts[i].bytes <= SPOOL_CODE_TABLE_MAX);
}

static void check_label(const struct spool_read *spool, size_t i)
{
	const struct spool_label *label = &spool->labels[i];
	const struct spool_text texts[] = { label->key, label->value };
	uint32_t length = 0;

	CHECK(label->below <= i);
	for (size_t t = 0; t < sizeof(texts) / sizeof(*texts); t++)
		CHECK((uint64_t)texts[t].at + texts[t].bytes <= spool->text_bytes &&
		      texts[t].bytes <= SPOOL_LABEL_VALUE_MAX);
	for (uint32_t set = (uint32_t)i + 1; set; set = spool->labels[set - 1].below)
		length++;
	CHECK(length <= 8 * SPOOL_LABEL_SET_MAX);
}

static void check_log(const struct spool_read *spool, const struct spool_read_log *log,
		      size_t nodes)
{
	for (size_t i = 0; i < log->sample_count; i++) {
		const struct spool_read_sample *sample = &log->samples[i];

		CHECK(sample->node < nodes && sample->run < log->run_count);
		CHECK(sample->counter < spool->header.counter_count);
		CHECK(sample->labels <= spool->label_count && sample->trace <= log->trace_count);
		CHECK(sample->time_ns <= INT64_MAX);
	}
	for (size_t i = 0; i < log->mark_count; i++) {
		CHECK(log->marks[i].run < log->run_count && log->marks[i].time_ns <= INT64_MAX);
		CHECK(log->marks[i].kind >= SPOOL_MARK_FORK &&
		      log->marks[i].kind <= SPOOL_MARK_SLOWER);
	}
}

/* Sums wrap: the file may hold any numbers. */
static uint64_t sum(const struct spool_read *spool)
{
	uint64_t events = 0;

	for (size_t t = 0; t < spool->thread_count; t++)
		for (size_t i = 0; i < spool->threads[t].log.sample_count; i++)
			events += spool->threads[t].log.samples[i].events;
	return events;
}

/* Returns what a window of the spool holds. */
static uint64_t cut(int fd, uint64_t from_ns, uint64_t to_ns)
{
	struct window_cut_loss loss = { 0 };
	struct spool_read spool;
	char line[512];
	uint64_t held;

	CHECK(spool_read_timed_fd(fd, "fuzz", &spool, line, sizeof(line)) >= 0);
	window_cut(&spool, from_ns, to_ns, &loss);
	held = sum(&spool);
	spool_read_free(&spool);
	return held;
}

static void check(const struct spool_read *spool)
{
	struct modules *modules = modules_new(spool->modules, spool->module_count);

	for (size_t t = 0; t < spool->thread_count; t++) {
		const struct spool_read_thread *thread = &spool->threads[t];

		for (size_t i = 0; i < thread->node_count; i++) {
			const struct spool_read_node *node = &thread->nodes[i];
			const struct spool_module *module;

			CHECK(node->parent < i || node->parent == SPOOL_READ_ROOT ||
			      (node->parent == SPOOL_READ_ORPHAN && spool->damaged));
			module = modules_find(modules, node->pc, node->generation);
			CHECK(!module || (module->start <= node->pc && node->pc < module->end));
			CHECK(!spool_code_is(node->pc) ||
			      spool_code_of(node->pc) <= spool->code_count);
		}
		check_log(spool, &thread->log, thread->node_count);
	}
	check_log(spool, &spool->marks, 0);
	for (size_t i = 0; i < spool->label_count; i++)
		check_label(spool, i);
	for (size_t i = 0; i < spool->code_count; i++)
		check_code(spool, &spool->codes[i]);
	CHECK(!spool->texts || !spool->texts[spool->text_bytes]);
	modules_free(modules);
}

/* Samples of a second each, which are waits in the second thread. */
static void add_log(struct spool_builder *builder, struct spool_builder_thread *thread,
		    uint32_t node, unsigned samples, uint32_t labels)
{
	for (unsigned i = 0; i < samples; i++) {
		const struct spool_builder_sample sample = {
			.time_ns = 5000000000 + i * 1000000000ull,
			.node = node,
			.samples = 1,
			.events = i % 3 ? 1000 : 1ull << 33,
		};

		if (i == 10)
			spool_builder_labels(builder, thread, labels);
		if (i == 20) {
			spool_builder_entry(builder, thread, SPOOL_LOG_TRACE, 7, 1);
			spool_builder_entry(builder, thread, SPOOL_LOG_TRACE_REST, 9, 0);
		}
		spool_builder_log(builder, thread, &sample);
	}
	spool_builder_mark(builder, thread, SPOOL_MARK_SLOWER, 6000000000, 1 << 4);
	spool_builder_entry(builder, thread, SPOOL_LOG_END, 0, 0);
}

/* Two modules, two threads, two chunks of nodes, two functions of an interpreter; two chunks of a
 * log, labels and marks. */
static struct spool_builder base(void)
{
	struct spool_builder builder = spool_builder_new(1, 1 << 20);
	struct spool_builder_thread first = spool_builder_thread(&builder, 1, "first");
	struct spool_builder_thread second = spool_builder_thread(&builder, 2, "second");
	uint32_t parent = 0, number, leaf, labels;

	spool_builder_module(&builder, 0x1000, 0x3000, 0, "/bin/program");
	spool_builder_module(&builder, 0x2000, 0x4000, 0, "/lib/library.so")->until = 1;
	for (unsigned i = 0; i < 300; i++) {
		parent = spool_builder_node(&builder, &first, 0x1000 + i * 16, parent);
		spool_builder_weigh(&builder, parent, 0, 1, 10);
	}
	leaf = parent;
	parent = spool_builder_node(&builder, &second, 0x2000, 0);
	spool_builder_code(&builder, "outer", "/program.py", &number);
	spool_builder_code(&builder, "inner", "/module.py", &number);
	spool_builder_node(&builder, &second, spool_code_pc(number, 3), parent);
	add_log(&builder, &first, leaf, 600, spool_builder_label(&builder, 0, "key", "value"));
	labels = spool_builder_label(&builder, 1, "other", "");
	add_log(&builder, &second, parent, 30, labels);
	spool_builder_mark(&builder, NULL, SPOOL_MARK_LOAD, 6000000000, 0x2000);
	return builder;
}

/* An input that starts as a spool is one.  Any other is a list of changes to a sound one. */
static int make_file(const uint8_t *data, size_t size)
{
	struct spool_builder builder;
	uint64_t magic = SPOOL_MAGIC;
	int fd;

	if (size >= 8 && !memcmp(data, &magic, 8))
		return fuzz_fd(data, size, size);
	builder = base();
	changed_spool_apply(&builder, 256, data, size);
	fd = fuzz_fd(builder.bytes, 20 * SPOOL_CHUNK_BYTES, builder.size_bytes);
	spool_builder_free(&builder);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spool_read spool;
	char line[512];
	int fd = make_file(data, size);
	int result = spool_read_timed_fd(fd, "fuzz", &spool, line, sizeof(line));
	uint64_t moment = size ? data[size - 1] * 100000000ull : 0;

	if (result < 0)
		return 0;
	CHECK(result == spool.damaged);
	check(&spool);
	CHECK(cut(fd, 0, moment) + cut(fd, moment, UINT64_MAX) == sum(&spool));
	spool_read_free(&spool);
	return 0;
}
