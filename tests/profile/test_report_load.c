/* The report of a run's shape: bars of the right height, times in digits that --from and --to take,
 * names made safe, and a width that fits. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/profile/base/json.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/output/report/report_load.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"

#define MS	    1000000ULL
#define SAMPLES_MAX 10000

static struct timeline timeline;
static char text[65536];

/* A profile with one counter, to which samples are added. */
static struct profile *profile_of(enum spool_unit unit, uint32_t flags, uint64_t from_ns,
				  uint64_t end_ns)
{
	struct spool_builder builder = spool_builder_new(1, 1 << 20);
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);
	int fd;

	spool_builder_header(&builder)->counter[0].unit = unit;
	spool_builder_header(&builder)->counter[0].flags |= flags;
	fd = spool_builder_fd(&builder);
	assert_int_equal(profile_read_fd(profile, fd, "made", text, sizeof(text)), 0);
	close(fd);
	spool_builder_free(&builder);
	timeline = (struct timeline){ .from_ns = from_ns, .end_ns = end_ns };
	timeline.samples = calloc(SAMPLES_MAX, sizeof(*timeline.samples));
	((struct profile_trees *)profile_merge(profile))->timeline = &timeline;
	return profile;
}

static void unmake(struct profile *profile)
{
	((struct profile_trees *)profile_merge(profile))->timeline = NULL;
	free(timeline.samples);
	profile_free(profile);
}

static void add(struct profile *profile, uint64_t time_ns, const char *leaf, uint64_t events)
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

static const char *printed(const struct profile *profile, unsigned columns, bool ascii)
{
	struct report_load_look look = { columns, ascii, "app.spool" };
	FILE *file = fmemopen(text, sizeof(text), "w");

	assert_int_equal(report_load_print(profile, 0, &look, file), 0);
	fputc('\0', file);
	fclose(file);
	return text;
}

static const char *json(const struct profile *profile)
{
	struct json json = { .file = fmemopen(text, sizeof(text), "w") };

	assert_int_equal(report_load_json(profile, 0, &json), 0);
	fputc('\0', json.file);
	fclose(json.file);
	return text;
}

/* 8 columns of 10 s, each with 8 samples, and loads from 0.1 to 0.8 of a processor. */
static struct profile *stairs(void)
{
	struct profile *profile = profile_of(SPOOL_UNIT_NS, 0, 500 * MS, 80500 * MS);

	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < 8; k++)
			add(profile, (1500 + i * 10000 + k * 1000) * MS, "f", (i + 1) * 125 * MS);
	return profile;
}

TEST(bars_are_as_high_as_the_load)
{
	struct profile *profile = stairs();

	assert_string_equal(printed(profile, 23, false),
			    "  load       |▁▂▃▄▅▆▇█|\n"
			    "             0.5 to 80.5 s; a full bar is 0.80 "
			    "CPUs\n\n");
	assert_string_equal(printed(profile, 23, true),
			    "  load       |.:-=+*#@|\n"
			    "             0.5 to 80.5 s; a full bar is 0.80 "
			    "CPUs\n\n");
	unmake(profile);
}

TEST(a_column_without_samples_is_empty_and_one_with_few_is_not)
{
	struct profile *profile = profile_of(SPOOL_UNIT_COUNT, 0, 0, 8000 * MS);

	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < 16 && i != 4; k++)
			add(profile, (i * 1000 + k) * MS, "f", i == 6 ? 1 : 1000);
	timeline.partial = true;
	assert_string_equal(
		printed(profile, 23, true),
		"  load       |@@@@ @.@|\n"
		"             0 to 8 s; a full bar is 16,000 events a second; not all samples "
		"have a time\n\n");
	unmake(profile);
}

/* 10 s at 1 kHz; from 7.3 to 7.5 s in others than "usual", of which one has a hostile name. */
static struct profile *stall(void)
{
	struct profile *profile = profile_of(SPOOL_UNIT_NS, 0, 0, 10000 * MS);

	for (unsigned ms = 0; ms < 10000; ms++) {
		bool inside = ms >= 7300 && ms < 7500;
		const char *name = ms % 4 ? "usual" : "now and then";

		if (inside)
			name = ms % 4 ? "stall_\x1b[31m_of_a_name_that_is_longer_than_a_line_is"
				      : "b";
		add(profile, ms * MS, name, (inside ? 3 : 1) * MS);
	}
	return profile;
}

TEST(the_moments_that_stand_out_are_named_with_a_command)
{
	struct profile *profile = stall();

	assert_non_null(
		strstr(printed(profile, 60, true),
		       "             0 to 10 s; a full bar is 2.48 CPUs\n"
		       "  busiest    7.3 to 7.5 s: 2.98 CPUs, usually 1.00 CPUs\n"
		       "  unusual    7.3 to 7.499 s:\n"
		       "             stall_\xef\xbf\xbd[31m_.. 75.4% instead of 4.3%\n"
		       "             flametrap report --from 7.3 --to 7.499 app.spool\n\n"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 60 + 2); /* U+FFFD has three bytes */
	unmake(profile);
}

TEST(json_has_the_same_numbers)
{
	struct profile *profile = stall();

	assert_ptr_equal(strstr(json(profile), "\"shape\":{\"from_ns\":0,\"to_ns\":10000000000,"
					       "\"load\":[1e+09,"),
			 text);
	assert_non_null(strstr(
		text,
		"],\"busiest\":{\"from_ns\":7300000000,\"to_ns\":7500000000,\"load\":2.975e+09,"
		"\"usual_load\":1e+09},\"unusual\":[{\"kind\":\"function\",\"from_ns\":"
		"7300000001"));
	assert_non_null(
		strstr(text, "\"more\":0,\"every_ns\":0,\"functions\":[{\"name\":\"stall_"));
	assert_non_null(strstr(text, "\"share\":0.7538,\"usual\":0.0433}]}"));
	unmake(profile);
	profile = stairs();
	assert_non_null(strstr(json(profile), "\"busiest\":null,\"unusual\":[]}"));
	((struct profile_trees *)profile_merge(profile))->timeline = NULL;
	assert_string_equal(json(profile), "\"shape\":null");
	assert_string_equal(printed(profile, 80, true), "");
	unmake(profile);
}

TEST(waits_are_counted_in_threads)
{
	struct profile *profile = profile_of(SPOOL_UNIT_NS, SPOOL_COUNTER_OFF_CPU, 0, 8000 * MS);

	for (unsigned i = 0; i < 80; i++)
		add(profile, (i + 1) * 100 * MS, "wait", (i < 40 ? 50 : 250) * MS);
	assert_non_null(strstr(printed(profile, 23, true), "a full bar is 2.50 threads\n"));
	unmake(profile);
}
