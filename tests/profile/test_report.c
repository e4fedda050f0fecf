/* The figures of the report add up: recursion counts once, cut names stay readable, and losses
 * are reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/tree/functions.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/report/report.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"

#define ADD(tree, value, ...)                                      \
	frame_tree_add(tree, (const char *const[]){ __VA_ARGS__ }, \
		       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), value)

static const struct function *find(const struct function *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	fail_msg("no function %s", name);
	return NULL;
}

static void assert_function(const struct function *list, size_t count, const char *name,
			    uint64_t self, uint64_t total)
{
	const struct function *function = find(list, count, name);

	assert_int_equal(function->self, self);
	assert_int_equal(function->total, total);
}

TEST(recursion_counts_once)
{
	struct frame_tree *tree = frame_tree_new();
	struct function *list;
	size_t count;

	ADD(tree, 1, "cmd", "main", "f", "g", "f", "f");
	ADD(tree, 2, "cmd", "main", "g", "f");
	ADD(tree, 4, "cmd", "main", "f");
	ADD(tree, 8, "cmd", "main");
	ADD(tree, 16, "other", "f");
	assert_int_equal(functions_list(tree, 1, false, &list, &count), 0);
	assert_int_equal(count, 3);
	assert_function(list, count, "f", 1 + 2 + 4 + 16, 1 + 2 + 4 + 16);
	assert_function(list, count, "g", 0, 1 + 2);
	assert_function(list, count, "main", 8, 15);
	assert_string_equal(list[0].name, "f");
	assert_string_equal(list[1].name, "main");
	free(list);
	frame_tree_free(tree);
}

TEST(threads_are_no_functions)
{
	struct frame_tree *tree = frame_tree_new();
	struct function *list;
	size_t count;

	ADD(tree, 1, "cmd", "worker", "main", "worker");
	ADD(tree, 2, "cmd", "worker", "main");
	ADD(tree, 4, "cmd", "worker");
	ADD(tree, 8, "cmd", "main", "main");
	assert_int_equal(functions_list(tree, 2, false, &list, &count), 0);
	assert_int_equal(count, 2);
	assert_function(list, count, "worker", 1, 1);
	assert_function(list, count, "main", 10, 11);
	free(list);
	frame_tree_free(tree);
}

/* Against the definition, for random stacks over few names. */
TEST(totals_are_those_of_the_definition)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	uint64_t self[5] = { 0 };
	uint64_t total[5] = { 0 };
	struct frame_tree *tree = frame_tree_new();
	struct function *list;
	size_t count;

	srandom(3);
	for (unsigned round = 0; round < 3000; round++) {
		const char *frames[12] = { "cmd" };
		unsigned depth = 2 + (unsigned)random() % 10;
		unsigned seen = 0;
		unsigned last = 0;

		for (unsigned i = 1; i < depth; i++) {
			last = (unsigned)random() % 5;
			frames[i] = names[last];
			seen |= 1u << last;
		}
		assert_int_equal(frame_tree_add(tree, frames, depth, round + 1), 0);
		self[last] += round + 1;
		for (unsigned i = 0; i < 5; i++)
			if (seen & 1u << i)
				total[i] += round + 1;
	}
	assert_int_equal(functions_list(tree, 1, false, &list, &count), 0);
	for (unsigned i = 0; i < 5; i++)
		assert_function(list, count, names[i], self[i], total[i]);
	free(list);
	frame_tree_free(tree);
}

TEST(no_stacks_have_no_functions)
{
	struct frame_tree *tree = frame_tree_new();
	struct report_options options = { .rows = 5 };
	char text[256] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	assert_int_equal(report_table(tree, "samples", &options, file), 0);
	fclose(file);
	assert_non_null(strstr(text, "(no samples)"));
	frame_tree_free(tree);
}

TEST(rows_are_limited_and_names_cut_to_the_width)
{
	struct frame_tree *tree = frame_tree_new();
	struct report_options options = { .rows = 2, .columns = 60 };
	char text[1024] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");
	char *line;

	ADD(tree, 75, "cmd", "a_name_of_more_than_twenty_bytes_and_\xc3\xa4");
	ADD(tree, 20, "cmd", "short");
	ADD(tree, 5, "cmd", "third");
	assert_int_equal(report_table(tree, "samples", &options, file), 0);
	fclose(file);
	assert_non_null(
		strstr(text, " 75.00 %  75.00 %             75  a_name_of_more_than_twen..\n"));
	assert_non_null(strstr(text, " 20.00 %  20.00 %             20  short\n"));
	assert_non_null(strstr(text, "1 more function\n"));
	assert_null(strstr(text, "third"));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 60);
	frame_tree_free(tree);
}

TEST(names_are_cut_by_characters_and_not_by_bytes)
{
	struct frame_tree *tree = frame_tree_new();
	struct report_options options = { .columns = 44 };
	char text[256] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	ADD(tree, 1, "cmd", "1234567\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
	assert_int_equal(report_table(tree, "samples", &options, file), 0);
	fclose(file);
	assert_non_null(strstr(text, "  1234567\xc3\xa4..\n"));
	frame_tree_free(tree);
}

TEST(the_summary_names_what_was_lost_and_what_it_cost)
{
	struct spool_builder builder = spool_builder_new(1, 1 << 20);
	struct spool_header *header = spool_builder_header(&builder);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "t");
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);
	struct report_options table = { .rows = 5 };
	char path[] = "/tmp/flametrap-test-XXXXXX";
	char text[4096] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");
	char line[512];

	memcpy(header->arguments, "prog\0-x\0a\nb", 12);
	strcpy(header->note, "perf_event_open was refused");
	header->start_ns = 1;
	header->end_ns = 2000000001;
	header->cpu_ns = 1000000000;
	header->counter[0].frequency_hz = 999;
	header->counter[0].unit = SPOOL_UNIT_NS;
	thread.slot->count[SPOOL_COUNT_SAMPLES] = 1000;
	thread.slot->count[SPOOL_COUNT_HANDLER_NS] = 5000000;
	thread.slot->count[SPOOL_COUNT_LOST_RING] = 17;
	thread.slot->total[0].value = 800000000; /* in four fifths of the time */
	thread.slot->total[0].enabled_ns = 1000000000;
	thread.slot->total[0].running_ns = 800000000;
	thread.slot->total[0].dropped = 4000000;
	thread.slot->total[0].paused = 3000000;
	spool_builder_weigh(&builder, spool_builder_node(&builder, &thread, SPOOL_PC_OVERFLOW, 0),
			    0, 1000, 983000000);
	close(mkstemp(path));
	spool_builder_write(&builder, path);
	assert_int_equal(profile_read(profile, path, line, sizeof(line)), 0);
	unlink(path);
	report_summary(profile, file);
	assert_int_equal(report_counter(profile, 0, &table, file), 0);
	fclose(file);
	assert_non_null(strstr(text, "command    prog -x a b\n"));
	assert_non_null(strstr(text, "1 process, 1 thread; 2.000 s, 1.000 s of CPU time\n"));
	assert_non_null(strstr(text, "1000 by sigtrap (perf_event_open was refused)\n"));
	assert_non_null(strstr(text, "lost       17\n"));
	assert_non_null(strstr(text, "5.000 ms in the handler, 5.00 us per sample, 0.50 % of CPU"));
	assert_non_null(strstr(text, "17  samples lost in a full ring\n"));
	assert_non_null(strstr(text, "counter0: 999 Hz\n"));
	assert_non_null(
		strstr(text, "counted 1.000 s = in stacks 983.000 ms (98.3 %) + paused 3.000 ms + "
			     "lost 4.000 ms + "
			     "unsampled 10.000 ms; 1000 samples\n"
			     "  warning: took turns with other counters: scaled by 1.25; ask"));
	assert_non_null(strstr(text, "100.00 % 100.00 %           1000  [overflow]\n"));
	profile_free(profile);
	spool_builder_free(&builder);
}

/* The CPU time of a killed process is not known, and its handler's is no part of the others'. */
TEST(overhead_is_a_part_of_the_cpu_time_that_is_known)
{
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);
	char path[] = "/tmp/flametrap-test-XXXXXX";
	char text[4096] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");
	char line[512];

	close(mkstemp(path));
	for (unsigned killed = 0; killed < 2; killed++) {
		struct spool_builder builder = spool_builder_new(1, 1 << 20);
		struct spool_header *header = spool_builder_header(&builder);
		struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "t");

		header->pid = INT32_MAX - 1 - killed;
		header->start_ns = 1;
		header->end_ns = 2000000001;
		header->state = killed ? SPOOL_RUNNING : SPOOL_FINISHED;
		header->cpu_ns = killed ? 0 : 1000000000;
		thread.slot->count[SPOOL_COUNT_SAMPLES] = 1000;
		thread.slot->count[SPOOL_COUNT_HANDLER_NS] = killed ? 400000000 : 5000000;
		spool_builder_write(&builder, path);
		assert_int_equal(profile_read(profile, path, line, sizeof(line)), 0);
		spool_builder_free(&builder);
	}
	unlink(path);
	report_summary(profile, file);
	fclose(file);
	assert_non_null(strstr(text, "2 processes, 2 threads, 1 killed; 2.000 s, "
				     "1.000 s of CPU time in the others\n"));
	assert_non_null(
		strstr(text, "405.000 ms in the handler, 202.50 us per sample, 0.50 % of CPU"));
	profile_free(profile);
}

/* Two modules, reached by two reasons; a whole stack and one cut by the limit are no such end. */
TEST(the_summary_names_the_modules_that_end_stacks)
{
	struct spool_builder builder = spool_builder_new(1, 1 << 20);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "t");
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);
	static const char expected[] =
		"            20  10.00 %  /nowhere/libbare.so [no unwind information]\n"
		"             9   4.50 %  /nowhere/libgood.so [stack bounds]\n"
		"             1   0.50 %  [code in no file] [no unwind information]\n";
	char path[] = "/tmp/flametrap-test-XXXXXX";
	char text[4096] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");
	char line[512];
	uint32_t reason;
	uint32_t leaf;

	spool_builder_module(&builder, 0x100000, 0x200000, 0x100000, "/nowhere/libbare.so");
	spool_builder_module(&builder, 0x300000, 0x400000, 0x300000, "/nowhere/libgood.so");
	thread.slot->count[SPOOL_COUNT_SAMPLES] = 200;
	reason = spool_builder_node(&builder, &thread, SPOOL_PC_NO_RULE, 0);
	leaf = spool_builder_node(&builder, &thread, 0x100010, reason);
	spool_builder_weigh(&builder, leaf, 0, 3, 3);
	leaf = spool_builder_node(&builder, &thread, 0x300010, leaf);
	spool_builder_weigh(&builder, leaf, 0, 17, 17);
	leaf = spool_builder_node(&builder, &thread, 0x700010, reason);
	spool_builder_weigh(&builder, leaf, 0, 1, 1);
	reason = spool_builder_node(&builder, &thread, SPOOL_PC_BOUNDS, 0);
	leaf = spool_builder_node(&builder, &thread, 0x300020, reason);
	spool_builder_weigh(&builder, leaf, 0, 9, 9);
	reason = spool_builder_node(&builder, &thread, SPOOL_PC_TRUNCATED, 0);
	leaf = spool_builder_node(&builder, &thread, 0x300030, reason);
	spool_builder_weigh(&builder, leaf, 0, 70, 70);
	leaf = spool_builder_node(&builder, &thread, 0x300040, 0);
	spool_builder_weigh(&builder, leaf, 0, 100, 100);
	close(mkstemp(path));
	spool_builder_write(&builder, path);
	assert_int_equal(profile_read(profile, path, line, sizeof(line)), 0);
	unlink(path);
	report_summary(profile, file);
	report_summary(profile, file); /* asking changes nothing */
	fclose(file);
	for (unsigned times = 0; times < 2; times++) {
		char *end = strstr(times ? strstr(text, "cut short") + 1 : text, "cut short");

		assert_non_null(end);
		end = strchr(end, '\n') + 1;
		assert_memory_equal(end, expected, sizeof(expected) - 1);
	}
	profile_free(profile);
	spool_builder_free(&builder);
}

/* Writes the summary of a profile with these stacks of an interpreter. */
static void summarize(uint64_t merged, uint64_t stateless, uint64_t unmerged, char *text,
		      size_t bytes)
{
	struct spool_builder builder = spool_builder_new(1, 1 << 20);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 1, "t");
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);
	char path[] = "/tmp/flametrap-test-XXXXXX";
	FILE *file = fmemopen(text, bytes, "w");
	char line[512];

	thread.slot->count[SPOOL_COUNT_INTERP_MERGED] = merged;
	thread.slot->count[SPOOL_COUNT_INTERP_NO_STATE] = stateless;
	thread.slot->count[SPOOL_COUNT_INTERP_UNMERGED] = unmerged;
	close(mkstemp(path));
	spool_builder_write(&builder, path);
	assert_int_equal(profile_read(profile, path, line, sizeof(line)), 0);
	unlink(path);
	report_summary(profile, file);
	fclose(file);
	profile_free(profile);
	spool_builder_free(&builder);
}

TEST(the_summary_tells_which_part_of_an_interpreters_stacks_lacks_functions)
{
	char text[4096];

	summarize(960, 30, 10, text, sizeof(text));
	assert_non_null(
		strstr(text, "         960  stacks with the functions of an interpreter\n"));
	assert_null(strstr(text, "functions  "));
	summarize(900, 75, 25, text, sizeof(text));
	assert_non_null(strstr(
		text,
		"functions  10.0 % of the interpreter's stacks lack the functions of the "
		"program: 75 were taken while it started or ended, or in a thread that is not "
		"its own, and 25 have frames that do not fit together\n"));
	summarize(0, 0, 0, text, sizeof(text));
	assert_null(strstr(text, "functions"));
}
