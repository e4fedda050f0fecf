/* For any stacks of native frames and functions of a program, and each view: what is shown is a
 * tree with the same weights, in which no frame stands that the view leaves out. */
#include "config/settings/settings.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/analysis/interp_view.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/machine.h"
#include "runtime/profile/symbols/namer.h"
#include "tests/fuzz/fuzz.h"

#define NODES_MAX  512
#define NODE_BYTES 3 /* what it is, how far before it its caller is, its weight */
#define LOOP	   0x1000
#define OTHER	   0x2000

static char texts[] = "f<frozen importlib._bootstrap>";
static struct spool_code codes[] = {
	{ .language = SPOOL_LANGUAGE_PYTHON, .name = { 0, 1 } },
	{ .language = SPOOL_LANGUAGE_PYTHON, .name = { 0, 1 }, .file = { 1, 29 } },
	{ .language = SPOOL_LANGUAGE_RUBY, .name = { 0, 1 } },
};
static struct spool_module modules[] = {
	{ .start = LOOP, .end = OTHER, .path = "/no/python3" },
	{ .start = OTHER, .end = 0x3000, .path = "/no/libc.so" },
};
static struct spool_read spool = {
	.header.counter_count = 1,
	.modules = modules,
	.module_count = 2,
	.codes = codes,
	.code_count = 3,
	.texts = texts,
	.text_bytes = sizeof(texts) - 1,
};

static bool is_function(uint64_t pc)
{
	return spool_code_is(pc) || pc == SPOOL_PC_COLLECTING || pc == SPOOL_PC_NO_CODE ||
	       pc == SPOOL_PC_IMPORTING;
}

static uint64_t pc_of(uint8_t what)
{
	const uint64_t pcs[] = {
		LOOP + 1,
		OTHER + 1,
		spool_code_pc(1, 5),
		spool_code_pc(2, 0),
		spool_code_pc(3, 7),
		spool_code_pc(0, 0),
		SPOOL_PC_COLLECTING,
		SPOOL_PC_NO_CODE,
		SPOOL_PC_TRUNCATED,
		SPOOL_PC_PREEMPTED,
		0x9000,
		0xffffffff81000010,
	};

	return pcs[what % (sizeof(pcs) / sizeof(pcs[0]))];
}

static size_t fill(const uint8_t *data, size_t size, struct spool_read_node *nodes,
		   struct spool_read_weight *weights)
{
	size_t count = 0;

	for (; size >= NODE_BYTES && count < NODES_MAX; count++) {
		uint32_t back = data[1];

		nodes[count] = (struct spool_read_node){ .pc = pc_of(data[0]) };
		nodes[count].parent = back == 0	     ? SPOOL_READ_ROOT
				      : back == 255  ? SPOOL_READ_ORPHAN
				      : back > count ? SPOOL_READ_ROOT
						     : (uint32_t)(count - back);
		weights[count] = (struct spool_read_weight){ data[2], data[2] / 3 };
		data += NODE_BYTES;
		size -= NODE_BYTES;
	}
	return count;
}

static struct spool_read_weight sum(const struct spool_read_thread *thread)
{
	struct spool_read_weight all = { 0 };

	for (size_t i = 0; i < thread->node_count; i++) {
		all.samples += thread->weights[i].samples;
		all.events += thread->weights[i].events;
	}
	return all;
}

static void check(const struct spool_read_thread *thread, enum settings_interp how)
{
	bool inside[2 * NODES_MAX + 1] = { false }; /* at or below a function */

	for (size_t i = 0; i < thread->node_count; i++) {
		const struct spool_read_node *node = &thread->nodes[i];
		bool outermost = node->parent >= SPOOL_READ_ORPHAN;

		CHECK(outermost || node->parent < i);
		inside[i] = is_function(node->pc) || (!outermost && inside[node->parent]);
		if (how == SETTINGS_INTERP_NO)
			CHECK(!is_function(node->pc) || outermost);
		else
			CHECK(!spool_code_is(node->pc) || spool_code_of(node->pc) != 2);
		if (how == SETTINGS_INTERP_ONLY && inside[i])
			CHECK(is_function(node->pc) || node->pc < SPOOL_PC_LIMIT);
		if (node->pc == SPOOL_PC_IMPORTING && !outermost)
			CHECK(thread->nodes[node->parent].pc != SPOOL_PC_IMPORTING);
	}
}

static void view(struct namer *namer, enum settings_interp how)
{
	struct interp_view *view = interp_view_new(namer, &spool, how);
	const struct spool_read_thread *thread = &spool.threads[0];
	const struct spool_read_weight before = sum(thread);
	struct spool_read_thread shown;
	struct spool_read_weight after;

	CHECK(view && !interp_view_thread(view, thread, &shown));
	check(&shown, how);
	after = sum(&shown);
	CHECK(before.samples == after.samples && before.events == after.events);
	interp_view_release(thread, &shown);
	interp_view_free(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct spool_read_node nodes[NODES_MAX];
	static struct spool_read_weight weights[NODES_MAX];
	struct spool_read_thread thread = { .nodes = nodes, .weights = weights };
	struct string_table strings = { 0 };
	struct machine *machine = machine_new(NULL);
	struct namer *namer = namer_new(&strings, machine, true, false);

	CHECK(namer);
	thread.node_count = fill(data, size, nodes, weights);
	spool.threads = &thread;
	spool.thread_count = 1;
	CHECK(!namer_begin(namer, &spool));
	for (int how = SETTINGS_INTERP_MERGE; how <= SETTINGS_INTERP_NO; how++)
		view(namer, (enum settings_interp)how);
	namer_end(namer);
	namer_free(namer);
	machine_free(machine);
	string_table_free(&strings);
	return 0;
}
