/* The parts of a thread by label have their own stacks and weights, and together all of them. */
#include "runtime/profile/tree/label_split.h"
#include "runtime/profile/tree/profile_options.h"
#include "tests/support/unit.h"

#define NODES 4

/* main -> a -> b, main -> c; two counters. */
static struct spool_read_node nodes[NODES] = {
	{ 0x1000, SPOOL_READ_ROOT, 0 }, { 0x1100, 0, 0 }, { 0x1200, 1, 0 }, { 0x1300, 0, 0 }
};
static struct spool_read_weight weights[NODES * 2];
static struct spool_read_sample samples[64];
static struct spool_label labels[8];
static char texts[256];
static struct spool_read_thread thread;
static struct spool_read spool;
static size_t text_bytes;
static struct label_split *split;
static struct label_part part; /* that was met last */

static struct spool_text text(const char *of)
{
	struct spool_text stored = { (uint32_t)text_bytes, (uint32_t)strlen(of) };

	memcpy(texts + text_bytes, of, stored.bytes);
	text_bytes += stored.bytes;
	return stored;
}

static void label(uint32_t below, const char *key, const char *value)
{
	labels[spool.label_count++] =
		(struct spool_label){ .below = below, .key = text(key), .value = text(value) };
}

static void sample(uint32_t node, uint32_t counter, uint64_t number, uint64_t events, uint32_t set)
{
	samples[thread.log.sample_count++] = (struct spool_read_sample){
		.node = node, .counter = counter, .samples = number, .events = events, .labels = set
	};
	weights[node * 2 + counter].samples += number;
	weights[node * 2 + counter].events += events;
}

UNIT(setup)
{
	memset(weights, 0, sizeof(weights));
	text_bytes = 0;
	thread = (struct spool_read_thread){ .nodes = nodes,
					     .weights = weights,
					     .node_count = NODES };
	thread.log.samples = samples;
	spool = (struct spool_read){ .labels = labels, .texts = texts };
	spool.header.counter_count = 2;
	label(0, "tenant", "red");  /* 1 */
	label(1, "request", "x");   /* 2 */
	label(0, "request", "x");   /* 3 */
	label(3, "tenant", "blue"); /* 4 */
	label(4, "request", "");    /* 5: removed */
	label(4, "requests", "no"); /* 6 */
	return 0;
}

UNIT(teardown)
{
	label_split_free(split);
	return 0;
}

static void begin(struct profile_options options, const uint32_t *places)
{
	split = label_split_new(&spool, &options);
	assert_int_equal(label_split_begin(split, &thread, places), 0);
}

static void begin_by(const char *key)
{
	begin((struct profile_options){ .label = key }, NULL);
}

/* The next part, of samples of known labels, has this value; NULL: none. */
static void next_is(const char *value)
{
	assert_int_equal(label_split_next(split, &part), 1);
	assert_true(part.known);
	if (value)
		assert_string_equal(part.value, value);
	else
		assert_null(part.value);
}

static void is_over(void)
{
	assert_int_equal(label_split_next(split, &part), 0);
}

/* Returns the part's node with that address, or NODES. */
static size_t node_of(uint64_t pc)
{
	for (size_t i = 0; i < part.thread.node_count; i++) {
		uint32_t parent = part.thread.nodes[i].parent;

		assert_true(parent == SPOOL_READ_ROOT || parent < i);
		if (part.thread.nodes[i].pc == pc)
			return i;
	}
	return NODES;
}

static void has(uint64_t pc, unsigned counter, uint64_t number, uint64_t events)
{
	size_t node = node_of(pc);

	assert_int_not_equal(node, NODES);
	assert_int_equal(part.thread.weights[node * 2 + counter].samples, number);
	assert_int_equal(part.thread.weights[node * 2 + counter].events, events);
}

TEST(each_value_of_a_key_has_its_stacks)
{
	sample(2, 0, 3, 30, 2);
	sample(3, 0, 1, 10, 0);
	sample(2, 0, 2, 20, 3);
	sample(2, 1, 0, 7, 3);
	sample(1, 0, 1, 11, 5);
	begin_by("request");
	next_is(NULL);
	assert_int_equal(part.thread.node_count, 3);
	has(0x1300, 0, 1, 10);
	has(0x1100, 0, 1, 11);
	has(0x1000, 0, 0, 0);
	assert_int_equal(part.sample_count, 2);
	next_is("x");
	assert_int_equal(part.thread.node_count, 3);
	has(0x1200, 0, 5, 50);
	has(0x1200, 1, 0, 7);
	assert_int_equal(part.thread.nodes[node_of(0x1200)].parent, node_of(0x1100));
	assert_int_equal(part.samples[0].node, node_of(0x1200));
	assert_int_equal(part.samples[0].sample, 0);
	assert_int_equal(part.samples[2].sample, 3);
	is_over();
}

TEST(what_is_in_no_log_is_a_part_of_its_own)
{
	sample(2, 0, 3, 30, 4);
	weights[2 * 2].samples += 5;
	weights[3 * 2 + 1].events += 9;
	begin_by("tenant");
	next_is("blue");
	has(0x1200, 0, 3, 30);
	assert_int_equal(label_split_next(split, &part), 1);
	assert_false(part.known);
	has(0x1200, 0, 5, 0);
	has(0x1300, 1, 0, 9);
	assert_int_equal(part.sample_count, 0);
	is_over();
}

TEST(a_thinned_log_has_the_sums_of_the_tree_elsewhere)
{
	sample(2, 0, 6, 60, 1);
	memset(weights, 0, sizeof(weights));
	weights[2 * 2] = (struct spool_read_weight){ 2, 20 };
	weights[3 * 2] = (struct spool_read_weight){ 4, 40 };
	begin_by("tenant");
	next_is("red");
	has(0x1200, 0, 6, 60);
	is_over();
	weights[1 * 2] = (struct spool_read_weight){ 4, 40 };
	assert_int_equal(label_split_begin(split, &thread, NULL), 0);
	next_is("red");
	assert_int_equal(label_split_next(split, &part), 1);
	assert_false(part.known);
	has(0x1100, 0, 2, 20);
	has(0x1300, 0, 2, 20);
	is_over();
}

TEST(each_set_and_trace_is_a_part_if_asked_for)
{
	struct spool_read_trace trace = { .span = { 1 } };

	sample(2, 0, 1, 1, 2);
	sample(2, 0, 1, 1, 3);
	samples[1].trace = 1;
	thread.log.traces = &trace;
	thread.log.trace_count = 1;
	sample(2, 0, 1, 1, 3);
	sample(2, 0, 1, 1, 1000000); /* damaged */
	begin((struct profile_options){ .label = "tenant", .label_sets = true }, NULL);
	next_is(NULL);
	assert_true(!part.labels && !part.trace);
	next_is("red");
	assert_true(part.labels == 2 && !part.trace);
	next_is(NULL);
	assert_true(part.labels == 3 && !part.trace);
	next_is(NULL);
	assert_true(part.labels == 3 && part.trace == &trace);
	is_over();
}

TEST(samples_without_a_label_that_is_asked_for_are_not_selected)
{
	struct profile_options options = { .label = "request",
					   .only_key = "tenant",
					   .only_value = "red" };

	sample(2, 0, 1, 1, 2);
	sample(2, 0, 1, 1, 3);
	sample(3, 0, 1, 1, 4);
	sample(3, 0, 1, 1, 1);
	begin(options, NULL);
	next_is(NULL);
	assert_true(part.selected);
	has(0x1300, 0, 1, 1);
	next_is("x");
	assert_true(part.selected);
	has(0x1200, 0, 1, 1);
	assert_int_equal(label_split_next(split, &part), 1);
	assert_false(part.selected);
	assert_int_equal(part.sample_count, 2);
	is_over();
}

TEST(samples_are_placed_among_the_shown_nodes)
{
	const uint32_t places[] = { 0, 0, 1, UINT32_MAX };

	sample(2, 0, 1, 10, 1);
	sample(3, 0, 1, 10, 1);
	memset(weights, 0, sizeof(weights));
	weights[1 * 2].samples = 1;
	weights[1 * 2].events = 10;
	begin((struct profile_options){ .label = "tenant" }, places);
	next_is("red");
	has(0x1100, 0, 1, 10);
	assert_int_equal(part.thread.node_count, 2);
	is_over();
}

TEST(a_thread_without_samples_has_no_parts)
{
	thread.node_count = 0;
	begin_by("tenant");
	is_over();
}
