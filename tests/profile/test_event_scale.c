/* The value of one event of a PMU, from sysfs into the report, and the names of kernel code. */
#include "config/events/lookup.h"
#include "runtime/output/report/report.h"
#include "runtime/profile/spool/event_scale.h"
#include "tests/support/event_text.h"
#include "tests/support/spool_fixture.h"
#include "tests/support/sysfs_made_up.h"
#include "tests/support/written.h"

#define EVENTS "/sys/bus/event_source/devices/uncore/events/"

static const struct sysfs_made_up_file files[] = {
	{ "/sys/bus/event_source/devices/uncore/type", "12" },
	{ "/sys/bus/event_source/devices/uncore/format/event", "config:0-7" },
	{ EVENTS "reads", "event=0x04" },
	{ EVENTS "reads.scale", "6.103515625e-5" },
	{ EVENTS "reads.unit", "MiB" },
	{ EVENTS "energy", "event=0x02" },
	{ EVENTS "energy.scale", "2.3283064365386962890625e-10" },
	{ EVENTS "energy.unit", "Joules" },
	{ EVENTS "slots", "event=0x03" },
	{ EVENTS "slots.scale", "4" },
	{ EVENTS "degrees", "event=0x05" },
	{ EVENTS "degrees.unit", "K" },
	{ EVENTS "odd", "event=0x06" },
	{ EVENTS "odd.scale", "many" },
	{ EVENTS "odd.unit", "two words" },
	{ EVENTS "zero", "event=0x07" },
	{ EVENTS "zero.scale", "0.0" },
	{ EVENTS "cut", "event=0x08" },
	{ EVENTS "cut.scale", "1e-" },
	{ EVENTS "cut.unit", "a_unit_of_more_than_fifteen_bytes" },
};

TEST(sysfs_says_what_an_event_is_worth)
{
	static const struct {
		const char *text, *scale, *measure;
	} expected[] = {
		{ "uncore/reads/", "6.103515625e-5", "MiB" },
		{ "uncore/energy/", "2.3283064365386962890625e-10", "Joules" },
		{ "uncore/slots,period=7/", "4", "" },
		{ "uncore/degrees/", "", "K" },
		{ "uncore/odd/", "", "" },
		{ "uncore/zero/", "", "" },
		{ "uncore/cut/", "", "" },
		{ "uncore/event=4/", "", "" },
		{ "page-faults", "", "" },
	};

	sysfs_made_up_use(files, sizeof(files) / sizeof(files[0]));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_string_equal(reads(expected[i].text)->scale, expected[i].scale);
		assert_string_equal(events.event[0].measure, expected[i].measure);
	}
	lookup_use(NULL);
}

TEST(a_measure_without_sense_is_none)
{
	static const struct {
		const char *scale, *measure, *shown;
	} rows[] = {
		{ "0.25", "MiB", "2.5 MiB" }, { "", "MiB", "10 MiB" },
		{ "3", "", "30 events" },     { "", "", NULL },
		{ "nan", "", NULL },	      { "-1", "", NULL },
		{ "inf", "", NULL },	      { "4 5", "a b", NULL },
		{ "", "\x1b[2J", NULL },      { "1e-9", "J", "1e-08 J" },
		{ "2", "\xff", "20 events" },
	};
	struct spool_counter counter;
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&counter, 0, sizeof(counter));
		strcpy(counter.scale, rows[i].scale);
		strcpy(counter.measure, rows[i].measure);
		assert_int_equal(event_scale_exists(&counter), rows[i].shown != NULL);
		event_scale_text(&counter, 10, text, sizeof(text));
		assert_string_equal(text, rows[i].shown ? rows[i].shown : "10 events");
	}
}

int unit_setup(void **state)
{
	struct spool_fixture *f = spool_fixture_new(state, 1, 1 << 20);

	f->thread = spool_builder_thread(&f->builder, 1, "t");
	return 0;
}

static const struct profile_options merged = { .threads = SETTINGS_THREADS_MERGE };

TEST_OF(struct spool_fixture *f, the_report_is_in_the_measure_and_folded_files_in_counts)
{
	struct spool_counter *counter = &spool_builder_header(&f->builder)->counter[0];
	const struct report_options options = { .weight = SETTINGS_WEIGHT_EVENTS };

	memset(counter->scale, 'x', sizeof(counter->scale)); /* without its NUL: not believed */
	strcpy(counter->scale, "0.0625");
	strcpy(counter->measure, "MiB");
	counter->period = 16;
	f->thread.slot->total[0].value = 1000;
	spool_builder_leaf(&f->builder, &f->thread, SPOOL_PC_NO_USER, 0, 62, 992);
	assert_int_equal(spool_fixture_add(f, &merged), 0);
	written_by(report_counter(f->profile, 0, &options, written_begin()));
	wrote("counted 62.5 MiB = in stacks 62 MiB (99.2 %) + lost 0 MiB + "
	      "unsampled 0.5 MiB; 62 samples\n");
	wrote("    self    total            MiB  function\n"
	      "100.00 % 100.00 %             62  [no user stack]\n");
	spool_fixture_folds(f, 0, SETTINGS_WEIGHT_EVENTS, "target;[no user stack] 992\n");
}

/* One program was removed and another took its place: generation 1. */
TEST_OF(struct spool_fixture *f, kernel_code_is_called_as_the_kernel_said_then)
{
	const uint64_t start = 0xffffffffc0000000, pc = start + 8;
	struct spool_module *before =
		spool_builder_module(&f->builder, start, start + 64, 0, "bpf_prog_1_before");
	struct spool_module *after =
		spool_builder_module(&f->builder, start, start + 32, 0, "bpf_prog_2_after");
	uint32_t later;

	before->flags = after->flags = SPOOL_MODULE_KERNEL;
	before->until = 1;
	after->since = 1;
	spool_builder_leaf(&f->builder, &f->thread, pc, 0, 1, 1);
	later = spool_builder_leaf(&f->builder, &f->thread, pc, 0, 2, 1);
	spool_builder_at(&f->builder, later)->generation = 1;
	spool_builder_leaf(&f->builder, &f->thread, start + 4096, 0, 3, 1);
	assert_int_equal(spool_fixture_add(f, &merged), 0);
	spool_fixture_folds(f, 0, SETTINGS_WEIGHT_SAMPLES,
			    "target;[kernel]_[k] 3\n"
			    "target;bpf_prog_1_before_[k] 1\n"
			    "target;bpf_prog_2_after_[k] 2\n");
}
