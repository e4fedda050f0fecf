/* The report of a run's shape: bars of the right height, times in digits that --from and --to take,
 * names made safe, and a width that fits. */
#include "runtime/profile/base/json.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/output/report/report.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define MS	    1000000ULL
#define SAMPLES_MAX 10000

static struct timeline timeline;
static struct profile *profile;

/* A profile with one counter, to which samples are added. */
static void make(enum spool_unit unit, uint32_t flags, uint64_t from_ns, uint64_t end_ns)
{
	struct spool_builder builder = spool_builder_new(1, 1 << 20);

	profile = profile_new(&(struct profile_options){ .threads = SETTINGS_THREADS_MERGE });
	spool_builder_header(&builder)->counter[0].unit = unit;
	spool_builder_header(&builder)->counter[0].flags |= flags;
	spool_builder_read(&builder, profile);
	timeline = (struct timeline){ .from_ns = from_ns, .end_ns = end_ns };
	timeline.samples = calloc(SAMPLES_MAX, sizeof(*timeline.samples));
	((struct profile_trees *)profile_merge(profile))->timeline = &timeline;
}

UNIT(teardown)
{
	((struct profile_trees *)profile_merge(profile))->timeline = NULL;
	free(timeline.samples);
	profile_free(profile);
	return 0;
}

static void add(uint64_t time_ns, const char *leaf, uint64_t events)
{
	struct profile_trees *merge = (struct profile_trees *)profile_merge(profile);
	uint32_t name = string_table_intern(&merge->strings, leaf, strlen(leaf));

	assert_true(timeline.sample_count < SAMPLES_MAX);
	timeline.samples[timeline.sample_count++] = (struct timeline_sample){
		.time_ns = time_ns,
		.events = events,
		.node = call_tree_child(merge->calls, CALL_TREE_ROOT, name),
	};
}

static const char *printed(unsigned columns, bool ascii)
{
	struct report_options options = { .columns = columns,
					  .ascii = ascii,
					  .files = "app.spool" };

	written_by(report_load_print(profile, 0, &options, written_begin()));
	return written.text;
}

static const char *json(void)
{
	struct json json = { .file = written_begin() };

	written_by(report_load_json(profile, 0, &json));
	return written.text;
}

/* 8 columns of 10 s, each with 8 samples, and loads from 0.1 to 0.8 of a processor. */
static void stairs(void)
{
	make(SPOOL_UNIT_NS, 0, 500 * MS, 80500 * MS);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < 8; k++)
			add((1500 + i * 10000 + k * 1000) * MS, "f", (i + 1) * 125 * MS);
}

TEST(bars_are_as_high_as_the_load)
{
	stairs();
	assert_string_equal(printed(23, false), "  load       |▁▂▃▄▅▆▇█|\n"
						"             0.5 to 80.5 s; a full bar is 0.80 "
						"CPUs\n\n");
	assert_string_equal(printed(23, true), "  load       |.:-=+*#@|\n"
					       "             0.5 to 80.5 s; a full bar is 0.80 "
					       "CPUs\n\n");
}

TEST(a_column_without_samples_is_empty_and_one_with_few_is_not)
{
	make(SPOOL_UNIT_COUNT, 0, 0, 8000 * MS);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < 16 && i != 4; k++)
			add((i * 1000 + k) * MS, "f", i == 6 ? 1 : 1000);
	timeline.partial = true;
	assert_string_equal(
		printed(23, true),
		"  load       |@@@@ @.@|\n"
		"             0 to 8 s; a full bar is 16,000 events a second; not all samples "
		"have a time\n\n");
}

/* 10 s at 1 kHz; from 7.3 to 7.5 s in others than "usual", of which one has a hostile name. */
static void stall(void)
{
	make(SPOOL_UNIT_NS, 0, 0, 10000 * MS);
	for (unsigned ms = 0; ms < 10000; ms++) {
		bool inside = ms >= 7300 && ms < 7500;
		const char *name = ms % 4 ? "usual" : "now and then";

		if (inside)
			name = ms % 4 ? "stall_\x1b[31m_of_a_name_that_is_longer_than_a_line_is"
				      : "b";
		add(ms * MS, name, (inside ? 3 : 1) * MS);
	}
}

TEST(the_moments_that_stand_out_are_named_with_a_command)
{
	stall();
	holds(printed(60, true),
	      "             0 to 10 s; a full bar is 2.48 CPUs\n"
	      "  busiest    7.3 to 7.5 s: 2.98 CPUs, usually 1.00 CPUs\n"
	      "  unusual    7.3 to 7.499 s:\n"
	      "             stall_\xef\xbf\xbd[31m_.. 75.4% instead of 4.3%\n"
	      "             flametrap report --from 7.3 --to 7.499 app.spool\n\n");
	for (char *line = strtok(written.text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 60 + 2); /* U+FFFD has three bytes */
}

TEST(json_has_the_same_numbers)
{
	stall();
	assert_memory_equal(json(),
			    "\"shape\":{\"from_ns\":0,\"to_ns\":10000000000,\"load\":[1e+09,", 55);
	wrote("],\"busiest\":{\"from_ns\":7300000000,\"to_ns\":7500000000,\"load\":2.975e+09,"
	      "\"usual_load\":1e+09},\"unusual\":[{\"kind\":\"function\",\"from_ns\":"
	      "7300000001");
	wrote("\"more\":0,\"every_ns\":0,\"functions\":[{\"name\":\"stall_");
	wrote("\"share\":0.7538,\"usual\":0.0433}]}");
	unit_teardown(NULL);
	stairs();
	holds(json(), "\"busiest\":null,\"unusual\":[]}");
	((struct profile_trees *)profile_merge(profile))->timeline = NULL;
	assert_string_equal(json(), "\"shape\":null");
	assert_string_equal(printed(80, true), "");
}

TEST(waits_are_counted_in_threads)
{
	make(SPOOL_UNIT_NS, SPOOL_COUNTER_OFF_CPU, 0, 8000 * MS);
	for (unsigned i = 0; i < 80; i++)
		add((i + 1) * 100 * MS, "wait", (i < 40 ? 50 : 250) * MS);
	holds(printed(23, true), "a full bar is 2.50 threads\n");
}
