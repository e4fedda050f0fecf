/* A pprof file contains everything that its readers require, for honest and hostile profiles. */
#include <pprof.pb-c.h>

#include "runtime/output/formats/format_content.h"
#include "tests/support/pprof_reader.h"
#include "tests/support/spool_fixture.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define EXECUTABLE 0x400000
#define LIBRARY	   0x7f0000000000
#define MOVED	   0x7e0000000000 /* where another process has the library */

static Pprof__Profile *parsed;

/* Begin the spool of a process. */
static void process(struct spool_fixture *f, uint32_t pid, uint64_t library, uint32_t counters)
{
	struct spool_module *module;

	spool_fixture_again(f, counters);
	spool_builder_header(&f->builder)->pid = pid;
	module = spool_builder_module(&f->builder, library, library + 0x10000, library,
				      "/no/lib.so");
	module->build_id_bytes = 3;
	memcpy(module->build_id, "\x01\xab\xff", 3);
	spool_builder_module(&f->builder, EXECUTABLE, EXECUTABLE + 0x1000, 0, "/no/program")
		->flags = SPOOL_MODULE_EXECUTABLE;
	f->thread = spool_builder_thread(&f->builder, pid, "t");
}

int unit_setup(void **state)
{
	process(spool_fixture_new(state, 1, 1 << 20), 77, LIBRARY, 1);
	return 0;
}

int unit_teardown(void **state)
{
	if (parsed)
		pprof__profile__free_unpacked(parsed, NULL);
	parsed = NULL;
	return spool_fixture_free(*state);
}

static void add(struct spool_fixture *f)
{
	const struct profile_options options = { .threads = SETTINGS_THREADS_MERGE,
						 .locations = true };

	assert_int_equal(spool_fixture_add(f, &options), 0);
}

/* Add a frame with a weight, and return its node. */
static uint32_t frame(struct spool_fixture *f, uint64_t pc, uint32_t parent, uint64_t samples,
		      uint64_t events)
{
	return spool_builder_leaf(&f->builder, &f->thread, pc, parent, samples, events);
}

static const char *text(int64_t index)
{
	assert_in_range(index, 0, parsed->n_string_table - 1);
	return parsed->string_table[index];
}

/* The checks that every reader makes of any profile. */
static void assert_valid(void)
{
	assert_string_equal(parsed->string_table[0], "");
	assert_int_equal(parsed->default_sample_type, 0);
	assert_true(parsed->n_sample_type >= 1);
	for (size_t i = 0; i < parsed->n_mapping; i++)
		assert_int_equal(parsed->mapping[i]->id, i + 1);
	for (size_t i = 0; i < parsed->n_function; i++) {
		assert_int_equal(parsed->function[i]->id, i + 1);
		assert_string_not_equal(text(parsed->function[i]->name), "");
		assert_string_not_equal(text(parsed->function[i]->system_name), "");
	}
	for (size_t i = 0; i < parsed->n_location; i++) {
		const Pprof__Location *at = parsed->location[i];

		assert_int_equal(at->id, i + 1);
		assert_int_equal(at->n_line, 1);
		assert_in_range(at->line[0]->function_id, 1, parsed->n_function);
		assert_in_range(at->mapping_id, 0, parsed->n_mapping);
		if (at->mapping_id)
			assert_in_range(at->address,
					parsed->mapping[at->mapping_id - 1]->memory_start,
					parsed->mapping[at->mapping_id - 1]->memory_limit - 1);
	}
	for (size_t i = 0; i < parsed->n_sample; i++) {
		assert_int_equal(parsed->sample[i]->n_value, parsed->n_sample_type);
		assert_true(parsed->sample[i]->n_location_id >= 1);
		for (size_t k = 0; k < parsed->sample[i]->n_location_id; k++)
			assert_in_range(parsed->sample[i]->location_id[k], 1, parsed->n_location);
	}
}

/* Add the spool, write the profile, and read it back. */
static void write_and_read(struct spool_fixture *f)
{
	add(f);
	written_by(
		format_pprof(&(struct format_content){ .profile = f->profile }, written_begin()));
	parsed = pprof_reader_read(written.text, written.bytes);
	assert_non_null(parsed);
	assert_valid();
}

static int64_t sum(size_t column)
{
	int64_t value = 0;

	for (size_t i = 0; i < parsed->n_sample; i++)
		value += parsed->sample[i]->value[column];
	return value;
}

static const Pprof__Label *label(const Pprof__Sample *sample, const char *key)
{
	for (size_t i = 0; i < sample->n_label; i++)
		if (!strcmp(text(sample->label[i]->key), key))
			return sample->label[i];
	return NULL;
}

TEST_OF(struct spool_fixture *f, a_stack_has_its_leaf_first_and_its_thread_as_labels)
{
	const Pprof__Sample *sample;

	f->thread = spool_builder_thread(&f->builder, 78, "worker 1");
	frame(f, LIBRARY + 0x20, frame(f, EXECUTABLE + 0x10, 0, 0, 0), 3, 3000);
	write_and_read(f);
	assert_int_equal(parsed->n_sample, 1);
	sample = parsed->sample[0];
	assert_int_equal(sample->n_location_id, 2);
	assert_int_equal(parsed->location[sample->location_id[0] - 1]->address, LIBRARY + 0x20);
	assert_int_equal(parsed->location[sample->location_id[1] - 1]->address, EXECUTABLE + 0x10);
	assert_int_equal(sample->value[0], 3);
	assert_int_equal(sample->value[1], 3000);
	assert_string_equal(text(label(sample, "thread")->str), "worker 1");
	assert_string_equal(text(label(sample, "command")->str), "target");
	assert_int_equal(label(sample, "pid")->num, 77);
	assert_int_equal(label(sample, "thread_id")->num, 78);
}

TEST_OF(struct spool_fixture *f, the_program_is_the_first_mapping_and_build_ids_are_hexadecimal)
{
	frame(f, 0xffffffff81000000, 0, 1, 1);
	frame(f, LIBRARY + 8, 0, 1, 1);
	write_and_read(f);
	assert_int_equal(parsed->n_mapping, 3);
	assert_string_equal(text(parsed->mapping[0]->filename), "/no/program");
	assert_string_equal(text(parsed->mapping[1]->filename), "[kernel.kallsyms]");
	assert_string_equal(text(parsed->mapping[2]->filename), "/no/lib.so");
	assert_string_equal(text(parsed->mapping[2]->build_id), "01abff");
	assert_false(
		parsed->mapping[2]->has_functions); /* there is no such file to know them from */
	assert_int_equal(parsed->location[0]->mapping_id, 2);
}

TEST_OF(struct spool_fixture *f, one_library_of_two_processes_is_one_mapping)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t library = i ? MOVED : LIBRARY;

		process(f, 70 + i, library, 1);
		frame(f, library + 0x123, 0, 1, 5);
		if (!i)
			add(f);
	}
	write_and_read(f);
	assert_int_equal(parsed->n_mapping, 2);
	assert_int_equal(parsed->n_location, 1);
	assert_int_equal(parsed->location[0]->address, LIBRARY + 0x123);
	assert_int_equal(parsed->n_sample, 2);
	assert_int_equal(label(parsed->sample[1], "pid")->num, 71);
}

TEST_OF(struct spool_fixture *f, the_counter_asked_for_first_is_the_last_kind_of_value)
{
	struct spool_counter *counter;

	process(f, 77, LIBRARY, 3);
	counter = spool_builder_header(&f->builder)->counter;
	strcpy(counter[0].name, "task-clock:u");
	counter[0].unit = SPOOL_UNIT_NS;
	counter[0].period = 2000;
	counter[1].flags = SPOOL_COUNTER_UNAVAILABLE;
	counter[2].flags = 0; /* counts along */
	spool_builder_weigh(&f->builder, frame(f, LIBRARY + 8, 0, 4, 8000), 2, 4, 55);
	write_and_read(f);
	assert_int_equal(parsed->n_sample_type, 3);
	assert_string_equal(text(parsed->sample_type[0]->type), "samples");
	assert_string_equal(text(parsed->sample_type[0]->unit), "count");
	assert_string_equal(text(parsed->sample_type[1]->type), "counter2");
	assert_string_equal(text(parsed->sample_type[2]->type), "cpu");
	assert_string_equal(text(parsed->sample_type[2]->unit), "nanoseconds");
	assert_string_equal(text(parsed->period_type->type), "cpu");
	assert_int_equal(parsed->period, 2000);
	assert_int_equal(sum(0), 4);
	assert_int_equal(sum(1), 55);
	assert_int_equal(sum(2), 8000);
}

TEST_OF(struct spool_fixture *f, pseudo_frames_and_foreign_addresses_need_no_mapping)
{
	frame(f, 0x10000, frame(f, SPOOL_PC_TRUNCATED, 0, 0, 0), 1, 1);
	write_and_read(f);
	assert_int_equal(parsed->sample[0]->n_location_id, 2);
	assert_int_equal(parsed->location[0]->mapping_id, 0);
	assert_int_equal(parsed->location[0]->address, 0);
	assert_int_equal(parsed->location[1]->address, 0x10000);
	assert_string_equal(text(parsed->function[0]->name), "[truncated]");
}

TEST_OF(struct spool_fixture *f, the_last_address_of_all_lies_in_no_mapping)
{
	frame(f, UINT64_MAX, 0, 1, 1);
	write_and_read(f);
	assert_int_equal(parsed->location[0]->mapping_id, 0);
}

TEST_OF(struct spool_fixture *f, names_of_any_bytes_become_text)
{
	f->thread = spool_builder_thread(&f->builder, 77, "\xff\"\x01<&>");
	spool_builder_module(&f->builder, MOVED, MOVED + 4096, MOVED, "/\xc3(\n\xed\xa0\x80");
	strcpy(spool_builder_header(&f->builder)->counter[0].name, "a\xfe");
	frame(f, MOVED, 0, 1, 1);
	write_and_read(f);
	assert_string_equal(text(label(parsed->sample[0], "thread")->str), "\ufffd\"\ufffd<&>");
	assert_string_equal(text(parsed->sample_type[1]->type), "a\ufffd");
	assert_string_equal(text(parsed->mapping[1]->filename), "/\ufffd(\ufffd\ufffd");
}

TEST_OF(struct spool_fixture *f, values_beyond_the_format_stop_at_its_largest)
{
	frame(f, LIBRARY, 0, UINT64_MAX, UINT64_MAX - 5);
	write_and_read(f);
	assert_int_equal(parsed->sample[0]->value[0], INT64_MAX);
	assert_int_equal(parsed->sample[0]->value[1], INT64_MAX);
}

TEST_OF(struct spool_fixture *f, a_profile_without_samples_is_a_profile)
{
	write_and_read(f);
	assert_int_equal(parsed->n_sample, 0);
	assert_int_equal(parsed->n_sample_type, 2);
}

TEST_OF(struct spool_fixture *f, losses_and_overhead_are_in_the_comments)
{
	unsigned found = 0;

	f->thread.slot->count[SPOOL_COUNT_LOST_RING] = 17;
	f->thread.slot->count[SPOOL_COUNT_HANDLER_NS] = 4321;
	write_and_read(f);
	for (size_t i = 0; i < parsed->n_comment; i++) {
		found += strstr(text(parsed->comment[i]), "; 17 lost") != NULL;
		found += strstr(text(parsed->comment[i]), "overhead: 4321 ns") != NULL;
	}
	assert_int_equal(found, 2);
}

/* Add a process that runs a program of two functions; the profile leaves out the native frame that
 * runs them.  If `other`, a third one comes before them in its list. */
static void script(struct spool_fixture *f, bool other)
{
	uint32_t module, work, number, outer;

	process(f, 7, LIBRARY, 1);
	if (other)
		spool_builder_code(&f->builder, "other", "/no/other.py", &number);
	spool_builder_code(&f->builder, "<module>", "/no/app.py", &module);
	spool_builder_code(&f->builder, "work", "/no/app.py", &work)->first_line = 3;
	outer = frame(f, spool_code_pc(module, 12), frame(f, LIBRARY + 8, 0, 0, 0), 1, 1);
	frame(f, spool_code_pc(work, 4), outer, 1, 1);
	frame(f, spool_code_pc(work, 5), outer, 1, 1);
}

TEST_OF(struct spool_fixture *f, an_interpreter_is_a_mapping_with_names_and_lines)
{
	const Pprof__Mapping *python;

	script(f, false);
	write_and_read(f);
	python = parsed->mapping[parsed->n_mapping - 1];
	assert_string_equal(text(python->filename), "[python]");
	assert_true(python->has_functions && python->has_filenames && python->has_line_numbers);
	for (size_t i = 0; i < parsed->n_location; i++)
		if (parsed->location[i]->mapping_id == python->id)
			assert_in_range(parsed->location[i]->address, python->memory_start,
					python->memory_limit - 1);
}

TEST_OF(struct spool_fixture *f, places_of_one_function_are_locations_that_differ_in_their_lines)
{
	const Pprof__Line *first, *second;
	const Pprof__Function *work;

	script(f, false);
	write_and_read(f);
	first = parsed->location[1]->line[0];
	second = parsed->location[2]->line[0];
	assert_int_equal(parsed->n_location, 3);
	assert_int_equal(first->line, 4);
	assert_int_equal(second->line, 5);
	assert_int_equal(first->function_id, second->function_id);
	work = parsed->function[first->function_id - 1];
	assert_string_equal(text(work->name), "app.work");
	assert_string_equal(text(work->system_name), "app.work_[p]");
	assert_string_equal(text(work->filename), "/no/app.py");
	assert_int_equal(work->start_line, 3);
}

TEST_OF(struct spool_fixture *f, one_function_of_two_processes_is_one_function)
{
	script(f, false);
	add(f);
	script(f, true);
	write_and_read(f);
	assert_int_equal(parsed->n_location, 3);
	assert_int_equal(parsed->n_function, 2);
}

TEST(without_addresses_there_is_nothing_to_write)
{
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);

	assert_int_equal(format_pprof(&(struct format_content){ .profile = profile }, stdout),
			 -EINVAL);
	profile_free(profile);
}

TEST_OF(struct spool_fixture *f, a_full_disk_is_an_error)
{
	frame(f, LIBRARY, 0, 1, 1);
	add(f);
	assert_int_equal(format_pprof(&(struct format_content){ .profile = f->profile },
				      written_full()),
			 -EIO);
}
