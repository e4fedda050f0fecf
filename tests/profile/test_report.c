/* The figures of the report add up: recursion counts once, cut names stay readable, and losses
 * are reported. */
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/report/report.h"
#include "tests/support/folded_text.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static struct frame_tree *tree;
static struct function *list;
static size_t count;

UNIT(teardown)
{
	free(list);
	list = NULL;
	frame_tree_free(tree);
	tree = NULL;
	return 0;
}

static void assert_function(const char *name, uint64_t self, uint64_t total)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].name, name) != 0)
			continue;
		assert_int_equal(list[i].self, self);
		assert_int_equal(list[i].total, total);
		return;
	}
	fail_msg("no function %s", name);
}

TEST(recursion_counts_once)
{
	tree = folded_text_tree("cmd;main;f;g;f;f 1\ncmd;main;g;f 2\ncmd;main;f 4\ncmd;main 8\n"
				"other;f 16\n");
	assert_int_equal(functions_list(tree, 1, false, &list, &count), 0);
	assert_int_equal(count, 3);
	assert_function("f", 1 + 2 + 4 + 16, 1 + 2 + 4 + 16);
	assert_function("g", 0, 1 + 2);
	assert_function("main", 8, 15);
	assert_string_equal(list[0].name, "f");
	assert_string_equal(list[1].name, "main");
}

TEST(threads_are_no_functions)
{
	tree = folded_text_tree("cmd;worker;main;worker 1\ncmd;worker;main 2\ncmd;worker 4\n"
				"cmd;main;main 8\n");
	assert_int_equal(functions_list(tree, 2, false, &list, &count), 0);
	assert_int_equal(count, 2);
	assert_function("worker", 1, 1);
	assert_function("main", 10, 11);
}

/* Against the definition, for random stacks over few names. */
TEST(totals_are_those_of_the_definition)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	uint64_t self[5] = { 0 };
	uint64_t total[5] = { 0 };

	tree = frame_tree_new();
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
		assert_function(names[i], self[i], total[i]);
}

static void write_table(const char *folded, const struct report_options *options)
{
	frame_tree_free(tree);
	tree = folded_text_tree(folded);
	written_by(report_table(tree, "samples", options, written_begin()));
}

TEST(no_stacks_have_no_functions)
{
	write_table("", &(struct report_options){ .rows = 5 });
	wrote("(no samples)");
}

TEST(rows_are_limited_and_names_cut_to_the_width)
{
	write_table("cmd;a_name_of_more_than_twenty_bytes_and_\xc3\xa4 75\ncmd;short 20\n"
		    "cmd;third 5\n",
		    &(struct report_options){ .rows = 2, .columns = 60 });
	wrote(" 75.00 %  75.00 %             75  a_name_of_more_than_twen..\n");
	wrote(" 20.00 %  20.00 %             20  short\n");
	wrote("1 more function\n");
	wrote_not("third");
	for (char *line = strtok(written.text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 60);
}

TEST(names_are_cut_by_characters_and_not_by_bytes)
{
	write_table("cmd;1234567\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 1\n",
		    &(struct report_options){ .columns = 44 });
	wrote("  1234567\xc3\xa4..\n");
}

/* The counters of a spool, which are read into the profile by add_spool(). */
static struct profile *profile;
static struct spool_builder builder;
static struct spool_header *header;
static struct spool_builder_thread thread;

static void begin_spool(void)
{
	builder = spool_builder_new(1, 1 << 20);
	header = spool_builder_header(&builder);
	thread = spool_builder_thread(&builder, 1, "t");
}

static void add_spool(void)
{
	if (!profile)
		profile =
			profile_new(&(struct profile_options){ .threads = SETTINGS_THREADS_MERGE });
	spool_builder_read(&builder, profile);
}

static void end_profile(void)
{
	profile_free(profile);
	profile = NULL;
	written_end();
}

static uint32_t leaf(uint64_t pc, uint32_t parent, uint64_t samples)
{
	return spool_builder_leaf(&builder, &thread, pc, parent, samples, samples);
}

TEST(the_summary_names_what_was_lost_and_what_it_cost)
{
	struct report_options table = { .rows = 5 };

	begin_spool();
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
	spool_builder_leaf(&builder, &thread, SPOOL_PC_OVERFLOW, 0, 1000, 983000000);
	add_spool();
	report_summary(profile, written_begin());
	assert_int_equal(report_counter(profile, 0, &table, written.file), 0);
	end_profile();
	wrote("command    prog -x a b\n");
	wrote("1 process, 1 thread; 2.000 s, 1.000 s of CPU time\n");
	wrote("1000 by sigtrap (perf_event_open was refused)\n");
	wrote("lost       17\n");
	wrote("5.000 ms in the handler, 5.00 us per sample, 0.50 % of CPU");
	wrote("17  samples lost in a full ring\n");
	wrote("counter0: 999 Hz\n");
	wrote("counted 1.000 s = in stacks 983.000 ms (98.3 %) + paused 3.000 ms + "
	      "lost 4.000 ms + "
	      "unsampled 10.000 ms; 1000 samples\n"
	      "  warning: took turns with other counters: scaled by 1.25; ask");
	wrote("100.00 % 100.00 %           1000  [overflow]\n");
}

/* The CPU time of a killed process is not known, and its handler's is no part of the others'. */
TEST(overhead_is_a_part_of_the_cpu_time_that_is_known)
{
	for (unsigned killed = 0; killed < 2; killed++) {
		begin_spool();
		header->pid = INT32_MAX - 1 - killed;
		header->start_ns = 1;
		header->end_ns = 2000000001;
		header->state = killed ? SPOOL_RUNNING : SPOOL_FINISHED;
		header->cpu_ns = killed ? 0 : 1000000000;
		thread.slot->count[SPOOL_COUNT_SAMPLES] = 1000;
		thread.slot->count[SPOOL_COUNT_HANDLER_NS] = killed ? 400000000 : 5000000;
		add_spool();
	}
	report_summary(profile, written_begin());
	end_profile();
	wrote("2 processes, 2 threads, 1 killed; 2.000 s, "
	      "1.000 s of CPU time in the others\n");
	wrote("405.000 ms in the handler, 202.50 us per sample, 0.50 % of CPU");
}

/* Two modules, reached by two reasons; a whole stack and one cut by the limit are no such end. */
TEST(the_summary_names_the_modules_that_end_stacks)
{
	static const char expected[] =
		"            20  10.00 %  /nowhere/libbare.so [no unwind information]\n"
		"             9   4.50 %  /nowhere/libgood.so [stack bounds]\n"
		"             1   0.50 %  [code in no file] [no unwind information]\n";
	uint32_t reason;

	begin_spool();
	spool_builder_module(&builder, 0x100000, 0x200000, 0x100000, "/nowhere/libbare.so");
	spool_builder_module(&builder, 0x300000, 0x400000, 0x300000, "/nowhere/libgood.so");
	thread.slot->count[SPOOL_COUNT_SAMPLES] = 200;
	reason = spool_builder_node(&builder, &thread, SPOOL_PC_NO_RULE, 0);
	leaf(0x300010, leaf(0x100010, reason, 3), 17);
	leaf(0x700010, reason, 1);
	leaf(0x300020, spool_builder_node(&builder, &thread, SPOOL_PC_BOUNDS, 0), 9);
	leaf(0x300030, spool_builder_node(&builder, &thread, SPOOL_PC_TRUNCATED, 0), 70);
	leaf(0x300040, 0, 100);
	add_spool();
	report_summary(profile, written_begin());
	report_summary(profile, written.file); /* asking changes nothing */
	end_profile();
	for (unsigned times = 0; times < 2; times++) {
		char *end = strstr(times ? strstr(written.text, "cut short") + 1 : written.text,
				   "cut short");

		assert_non_null(end);
		end = strchr(end, '\n') + 1;
		assert_memory_equal(end, expected, sizeof(expected) - 1);
	}
}

/* Writes the summary of a profile with these stacks of an interpreter. */
static void summarize(uint64_t merged, uint64_t stateless, uint64_t unmerged)
{
	begin_spool();
	thread.slot->count[SPOOL_COUNT_INTERP_MERGED] = merged;
	thread.slot->count[SPOOL_COUNT_INTERP_NO_STATE] = stateless;
	thread.slot->count[SPOOL_COUNT_INTERP_UNMERGED] = unmerged;
	add_spool();
	report_summary(profile, written_begin());
	end_profile();
}

TEST(the_summary_tells_which_part_of_an_interpreters_stacks_lacks_functions)
{
	summarize(960, 30, 10);
	wrote("         960  stacks with the functions of an interpreter\n");
	wrote_not("functions  ");
	summarize(900, 75, 25);
	wrote("functions  10.0 % of the interpreter's stacks lack the functions of the "
	      "program: 75 were taken while it started or ended, or in a thread that is not "
	      "its own, and 25 have frames that do not fit together\n");
	summarize(0, 0, 0);
	wrote_not("functions");
}
