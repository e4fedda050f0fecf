/* Spools merge into one profile, by name of frame, counter and process.  Its summary adds them up:
 * each process counts once, and times run from the first start to the last end. */
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/spool_fixture.h"
#include "tests/support/unit.h"

static struct spool_read spool; /* what is added to the summary */
static struct profile_processes processes;
static struct profile_summary summary;

static void summary_reset(void)
{
	profile_processes_free(&processes);
	processes = (struct profile_processes){ 0 };
	summary = (struct profile_summary){ 0 };
}

int unit_teardown(void **state)
{
	summary_reset();
	return spool_fixture_free(*state);
}

/* A program that cannot be opened: its code is [program]. */
int unit_setup(void **state)
{
	struct spool_fixture *f = spool_fixture_new(state, 2, 8 << 20);

	spool_builder_module(&f->builder, 0x100000, 0x200000, 0, "/nonexistent/program");
	spool_builder_module(&f->builder, 0x200000, 0x300000, 0, "/nonexistent/lib.so");
	f->thread = spool_builder_thread(&f->builder, 7, "worker");
	return 0;
}

static void read_with(struct spool_fixture *f, enum settings_threads threads, int expected)
{
	const struct profile_options options = { .threads = threads };

	assert_int_equal(spool_fixture_add(f, &options), expected);
}

/* The samples of the first counter are these. */
static void folds(struct spool_fixture *f, const char *expected)
{
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	spool_fixture_folds(f, 0, SETTINGS_WEIGHT_SAMPLES, expected);
}

/* outer -> inner, with samples in both and a call to a library. */
static uint32_t add_stacks(struct spool_fixture *f)
{
	uint32_t outer = spool_builder_leaf(&f->builder, &f->thread, 0x100010, 0, 3, 300);
	uint32_t inner = spool_builder_leaf(&f->builder, &f->thread, 0x200010, outer, 4, 400);

	spool_builder_weigh(&f->builder, inner, 1, 1, 999);
	return inner;
}

TEST_OF(struct spool_fixture *f, frames_without_symbols_are_their_module)
{
	add_stacks(f);
	folds(f, "target;[program] 3\ntarget;[program];[lib.so] 4\n");
}

TEST_OF(struct spool_fixture *f, weight_and_counter_are_chosen)
{
	add_stacks(f);
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	assert_int_equal(profile_counter_count(f->profile), 2);
	spool_fixture_folds(f, 0, SETTINGS_WEIGHT_EVENTS,
			    "target;[program] 300\ntarget;[program];[lib.so] 400\n");
	spool_fixture_folds(f, 1, SETTINGS_WEIGHT_EVENTS, "target;[program];[lib.so] 999\n");
}

TEST_OF(struct spool_fixture *f, a_counter_that_takes_no_samples_weighs_by_its_events)
{
	add_stacks(f);
	spool_builder_header(&f->builder)->counter[1].flags = 0;
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	spool_fixture_folds(f, 1, SETTINGS_WEIGHT_SAMPLES, "target;[program];[lib.so] 999\n");
}

TEST_OF(struct spool_fixture *f, threads_get_a_frame_by_name_or_id)
{
	add_stacks(f);
	read_with(f, SETTINGS_THREADS_NAME, 0);
	spool_fixture_folds(f, 1, SETTINGS_WEIGHT_SAMPLES, "target;worker;[program];[lib.so] 1\n");
	profile_free(f->profile);
	f->profile = NULL;
	read_with(f, SETTINGS_THREADS_ID, 0);
	spool_fixture_folds(f, 1, SETTINGS_WEIGHT_SAMPLES,
			    "target;worker/7;[program];[lib.so] 1\n");
}

TEST_OF(struct spool_fixture *f, spools_are_summed_by_name_wherever_they_were_mapped)
{
	add_stacks(f);
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	spool_builder_header(&f->builder)->pid++;
	spool_builder_module(&f->builder, 0x900000, 0xa00000, 0x800000, "/nonexistent/program");
	spool_builder_leaf(&f->builder, &f->thread, 0x900020, 0, 10, 0);
	folds(f, "target;[program] 16\ntarget;[program];[lib.so] 8\n");
	assert_int_equal(profile_summary(f->profile)->processes, 2);
	assert_int_equal(profile_summary(f->profile)->spools, 2);
}

TEST_OF(struct spool_fixture *f, counters_are_merged_by_name_in_any_order)
{
	struct spool_header *header = spool_builder_header(&f->builder);

	add_stacks(f);
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	strcpy(header->counter[0].name, "counter1");
	strcpy(header->counter[1].name, "another");
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	assert_int_equal(profile_counter_count(f->profile), 3);
	assert_string_equal(profile_counter(f->profile, 2)->name, "another");
	spool_fixture_folds(f, 1, SETTINGS_WEIGHT_SAMPLES,
			    "target;[program] 3\ntarget;[program];[lib.so] 5\n");
}

TEST_OF(struct spool_fixture *f, commands_are_one_word)
{
	add_stacks(f);
	strcpy(spool_builder_header(&f->builder)->command, "my long; name 5");
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	spool_fixture_folds(f, 1, SETTINGS_WEIGHT_SAMPLES,
			    "my_long:_name_5;[program];[lib.so] 1\n");
}

TEST_OF(struct spool_fixture *f, a_command_has_a_name_whatever_its_file_is)
{
	add_stacks(f);
	spool_builder_header(&f->builder)->command[0] = '\0';
	strcpy(spool_builder_header(&f->builder)->executable, "/folder/");
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	spool_fixture_folds(f, 1, SETTINGS_WEIGHT_SAMPLES, "unknown;[program];[lib.so] 1\n");
}

TEST_OF(struct spool_fixture *f, pseudo_frames_have_their_names)
{
	for (uint64_t pc = 0; pc <= 16; pc++)
		spool_builder_leaf(&f->builder, &f->thread, pc, 0, pc + 1, 0);
	folds(f, "target;[bad unwind rule] 7\ntarget;[gc]_[p] 13\n"
		 "target;[import]_[p] 15\ntarget;[leaf only] 9\n"
		 "target;[no room for its name]_[p] 14\n"
		 "target;[no tick] 16\n"
		 "target;[no unwind information] 4\ntarget;[no user stack] 8\n"
		 "target;[overflow] 3\ntarget;[preempted] 10\n"
		 "target;[return address held by a uretprobe] 12\n"
		 "target;[stack bounds] 5\ntarget;[still blocked] 11\n"
		 "target;[truncated] 2\ntarget;[unknown] 18\n"
		 "target;[unwinder busy] 6\n");
}

TEST_OF(struct spool_fixture *f, our_own_frames_are_left_out_and_their_weight_is_the_callers)
{
	uint32_t outer = spool_builder_node(&f->builder, &f->thread, 0x100010, 0);
	uint32_t ours = spool_builder_leaf(&f->builder, &f->thread, 0x400010, outer, 1, 0);

	spool_builder_module(&f->builder, 0x400000, 0x500000, 0, "/lib/libflametrap.so")->flags =
		SPOOL_MODULE_OURS;
	spool_builder_leaf(&f->builder, &f->thread, 0x200010, ours, 2, 0);
	folds(f, "target;[program] 1\ntarget;[program];[lib.so] 2\n");
}

/* Generation 0 is before the unload, 1 behind it. */
TEST_OF(struct spool_fixture *f, an_address_means_the_module_of_its_generation)
{
	struct spool_module *old =
		spool_builder_module(&f->builder, 0x600000, 0x700000, 0, "/x/old");
	struct spool_module *new =
		spool_builder_module(&f->builder, 0x600000, 0x700000, 0, "/x/new");
	uint32_t after;

	old->until = 1;
	new->since = 1;
	spool_builder_leaf(&f->builder, &f->thread, 0x600010, 0, 1, 0);
	after = spool_builder_leaf(&f->builder, &f->thread, 0x600010, 0, 2, 0);
	spool_builder_at(&f->builder, after)->generation = 1;
	folds(f, "target;[new] 2\ntarget;[old] 1\n");
}

TEST_OF(struct spool_fixture *f, a_damaged_spool_keeps_its_weights)
{
	uint32_t inner = add_stacks(f);

	spool_builder_at(&f->builder, inner)->parent = 1;
	read_with(f, SETTINGS_THREADS_MERGE, 1);
	spool_fixture_folds(f, 0, SETTINGS_WEIGHT_SAMPLES,
			    "target;[damaged];[lib.so] 4\ntarget;[program] 3\n");
	assert_int_equal(profile_summary(f->profile)->damaged, 1);
}

TEST_OF(struct spool_fixture *f, sums_that_overflow_are_refused_not_wrapped)
{
	uint32_t inner = add_stacks(f);
	struct frame_tree *tree;

	spool_builder_at(&f->builder, inner)->weight[0].samples = UINT64_MAX;
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	assert_int_equal(profile_tree(f->profile, 0, SETTINGS_WEIGHT_SAMPLES, &tree), -EOVERFLOW);
}

TEST_OF(struct spool_fixture *f, totals_tell_what_was_counted_and_what_is_in_stacks)
{
	struct profile_total total;

	add_stacks(f);
	f->thread.slot->total[0].value = 1000;
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	total = profile_total(f->profile, 0);
	assert_int_equal(total.counted, 1000);
	assert_int_equal(total.events, 700);
	assert_int_equal(total.samples, 7);
}

/* Deeper than any setting allows: such a stack keeps its outermost frames. */
TEST_OF(struct spool_fixture *f, stacks_of_any_depth_are_taken)
{
	uint32_t node = 0;
	struct frame_tree *tree;

	for (unsigned i = 0; i < 20000; i++)
		node = spool_builder_node(&f->builder, &f->thread, 0x100000 + (i & 1) * 0x100000,
					  node);
	spool_builder_weigh(&f->builder, node, 0, 1, 1);
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	assert_int_equal(profile_tree(f->profile, 0, SETTINGS_WEIGHT_SAMPLES, &tree), 0);
	assert_int_equal(frame_tree_depth(tree), 4608);
	assert_int_equal(frame_tree_root(tree)->total, 1);
	frame_tree_free(tree);
}

/* Stacks through all of libc, so that names are real.  The time is printed, not judged: a
 * machine may be busy. */
TEST_OF(struct spool_fixture *f, fifty_thousand_stacks_are_named_in_one_go)
{
	struct spool_builder big = spool_builder_new(1, 256 << 20);
	struct spool_builder_thread thread = spool_builder_thread(&big, 1, "t");
	struct timespec start, end;
	struct frame_tree *tree;
	Dl_info libc;

	assert_true(dladdr(dlsym(RTLD_DEFAULT, "printf"), &libc));
	spool_builder_module(&big, 0x10000000, 0x20000000, 0x10000000, libc.dli_fname);
	for (uint64_t i = 0; i < 50000; i++) {
		uint32_t node = 0;

		for (uint64_t d = 0; d < 20; d++)
			node = spool_builder_node(&big, &thread,
						  0x10028000 + (i * 27 + d * 64) % 0x150000, node);
		spool_builder_weigh(&big, node, 0, 20, 20);
	}
	spool_builder_free(&f->builder);
	f->builder = big;
	clock_gettime(CLOCK_MONOTONIC, &start);
	read_with(f, SETTINGS_THREADS_MERGE, 0);
	assert_int_equal(profile_tree(f->profile, 0, SETTINGS_WEIGHT_SAMPLES, &tree), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_int_equal(frame_tree_root(tree)->total, 1000000);
	assert_true(folded_text_stacks(tree) > 1000);
	print_message("1000000 samples in 50000 stacks (%zu when named): %lld ms\n",
		      folded_text_stacks(tree),
		      (long long)(end.tv_sec - start.tv_sec) * 1000 +
			      (end.tv_nsec - start.tv_nsec) / 1000000);
	frame_tree_free(tree);
}

#define SECOND_NS UINT64_C(1000000000)

static void add(void)
{
	assert_int_equal(profile_summary_add(&summary, &processes, &spool), 0);
}

/* A spool of a process that ran from one second since 1970 to another. */
static void fill(uint64_t from, uint64_t to)
{
	spool = (struct spool_read){ .header = { .start_realtime_ns = from * SECOND_NS,
						 .start_ns = 5 * SECOND_NS,
						 .end_ns = (5 + to - from) * SECOND_NS,
						 .cpu_ns = SECOND_NS / 2,
						 .engine = SPOOL_ENGINE_TIMER,
						 .start_ticks = from } };
}

TEST(times_reach_from_the_first_start_to_the_last_end)
{
	fill(100, 103);
	add();
	assert_int_equal(summary.wall_ns, 3 * SECOND_NS);
	fill(98, 99);
	add();
	assert_int_equal(summary.start_realtime_ns, 98 * SECOND_NS);
	assert_int_equal(summary.wall_ns, 5 * SECOND_NS);
	fill(101, 110);
	add();
	assert_int_equal(summary.start_realtime_ns, 98 * SECOND_NS);
	assert_int_equal(summary.wall_ns, 12 * SECOND_NS);
	assert_int_equal(summary.cpu_ns, 3 * SECOND_NS / 2);
	assert_int_equal(summary.engines, 1u << SPOOL_ENGINE_TIMER);
}

TEST(a_process_with_several_spools_counts_once)
{
	fill(100, 103);
	add();
	spool.damaged = true;
	add();
	assert_int_equal(summary.spools, 2);
	assert_int_equal(summary.processes, 1);
	assert_int_equal(summary.damaged, 1);
}

/* One image after the other, as exec replaces them; the last has no end yet. */
static void fill_image(uint64_t before, uint64_t used)
{
	fill(100, 103);
	spool.header.before_ns = before * SECOND_NS;
	spool.header.cpu_ns = used * SECOND_NS;
}

TEST(time_before_sampling_is_that_which_no_image_has)
{
	static const struct {
		unsigned before, used;
	} images[] = { { 1, 5 }, { 8, 10 }, { 21, 0 } }; /* 1, 2 and 3 seconds between them */

	for (unsigned first = 0; first < 3; first++) {
		summary_reset();
		for (unsigned i = 0; i < 3; i++) {
			unsigned at = (first + i) % 3;

			fill_image(images[at].before, images[at].used);
			add();
		}
		assert_int_equal(summary.before_ns, 6 * SECOND_NS);
		assert_int_equal(summary.cpu_ns, 15 * SECOND_NS);
		spool.header.start_ticks++;
		spool.header.before_ns = 4 * SECOND_NS;
		add();
		assert_int_equal(summary.before_ns, 10 * SECOND_NS);
	}
}

TEST(what_an_image_without_a_spool_used_is_before_sampling)
{
	fill_image(21, 4);
	add();
	assert_int_equal(summary.before_ns, 21 * SECOND_NS);
}

TEST(a_spool_of_an_older_version_says_nothing_of_the_time_before)
{
	fill_image(0, 4);
	add();
	fill_image(0, 5);
	add();
	assert_int_equal(summary.before_ns, 0);
}

TEST(all_that_was_lost_is_one_sum)
{
	struct spool_read_thread threads[2] = { 0 };

	fill(100, 103);
	spool.header.count[SPOOL_COUNT_LOST_RING] = 5;
	spool.threads = threads;
	spool.thread_count = 2;
	threads[0].slot.state = SPOOL_THREAD_LIVE;
	threads[0].slot.count[SPOOL_COUNT_SAMPLES] = 7;
	threads[0].slot.count[SPOOL_COUNT_LOST_RING] = 2;
	threads[1].slot.state = SPOOL_THREAD_ENDED;
	threads[1].slot.count[SPOOL_COUNT_THREADS_ENDED] = 3;
	threads[1].slot.count[SPOOL_COUNT_LOST_FULL] = 4;
	add();
	assert_int_equal(summary.count[SPOOL_COUNT_SAMPLES], 7);
	assert_int_equal(summary.lost, 5 + 6);
	assert_int_equal(summary.threads, 4);
}

TEST(a_process_that_ended_neither_runs_nor_was_killed)
{
	fill(100, 103);
	spool.header.state = SPOOL_FINISHED;
	profile_summary_add_state(&summary, "flametrap.1.2.3.spool", &spool.header);
	spool.header.state = SPOOL_EXECED;
	profile_summary_add_state(&summary, "flametrap.1.2.3.spool", &spool.header);
	assert_int_equal(summary.running + summary.killed, 0);
}
