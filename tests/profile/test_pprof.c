/* A pprof file contains everything that its readers require, for honest and hostile profiles. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pprof.pb-c.h>

#include "runtime/output/formats/format_content.h"
#include "runtime/profile/merge/profile.h"
#include "tests/support/pprof_reader.h"
#include "tests/support/spool_builder.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define EXECUTABLE 0x400000
#define LIBRARY	   0x7f0000000000
#define MOVED	   0x7e0000000000 /* where another process has the library */

struct fixture {
	struct profile *profile;
	Pprof__Profile *read;
};

int unit_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE, .locations = true };

	f->profile = profile_new(&options);
	*state = f;
	return f->profile ? 0 : -1;
}

int unit_teardown(void **state)
{
	struct fixture *f = *state;

	if (f->read)
		pprof__profile__free_unpacked(f->read, NULL);
	profile_free(f->profile);
	free(f);
	return 0;
}

static void add(struct fixture *f, struct spool_builder *builder)
{
	char path[] = "/tmp/flametrap-test-XXXXXX";
	char line[512];

	close(mkstemp(path));
	spool_builder_write(builder, path);
	spool_builder_free(builder);
	assert_int_equal(profile_read(f->profile, path, line, sizeof(line)), 0);
	unlink(path);
}

/* Write and read back. */
static const Pprof__Profile *write_and_read(struct fixture *f)
{
	struct written to;

	assert_int_equal(format_pprof(&(struct format_content){ .profile = f->profile },
				      written_begin(&to)),
			 0);
	written_end(&to);
	f->read = pprof_reader_read(to.text, to.bytes);
	free(to.text);
	assert_non_null(f->read);
	return f->read;
}

static const char *text(const Pprof__Profile *read, int64_t index)
{
	assert_in_range(index, 0, read->n_string_table - 1);
	return read->string_table[index];
}

/* The checks that every reader makes of any profile. */
static void assert_valid(const Pprof__Profile *read)
{
	assert_string_equal(read->string_table[0], "");
	assert_int_equal(read->default_sample_type, 0);
	assert_true(read->n_sample_type >= 1);
	for (size_t i = 0; i < read->n_mapping; i++)
		assert_int_equal(read->mapping[i]->id, i + 1);
	for (size_t i = 0; i < read->n_function; i++) {
		assert_int_equal(read->function[i]->id, i + 1);
		assert_string_not_equal(text(read, read->function[i]->name), "");
		assert_string_not_equal(text(read, read->function[i]->system_name), "");
	}
	for (size_t i = 0; i < read->n_location; i++) {
		const Pprof__Location *at = read->location[i];

		assert_int_equal(at->id, i + 1);
		assert_int_equal(at->n_line, 1);
		assert_in_range(at->line[0]->function_id, 1, read->n_function);
		assert_in_range(at->mapping_id, 0, read->n_mapping);
		if (at->mapping_id)
			assert_in_range(at->address,
					read->mapping[at->mapping_id - 1]->memory_start,
					read->mapping[at->mapping_id - 1]->memory_limit - 1);
	}
	for (size_t i = 0; i < read->n_sample; i++) {
		assert_int_equal(read->sample[i]->n_value, read->n_sample_type);
		assert_true(read->sample[i]->n_location_id >= 1);
		for (size_t k = 0; k < read->sample[i]->n_location_id; k++)
			assert_in_range(read->sample[i]->location_id[k], 1, read->n_location);
	}
}

static int64_t sum(const Pprof__Profile *read, size_t column)
{
	int64_t value = 0;

	for (size_t i = 0; i < read->n_sample; i++)
		value += read->sample[i]->value[column];
	return value;
}

static const Pprof__Label *label(const Pprof__Profile *read, const Pprof__Sample *sample,
				 const char *key)
{
	for (size_t i = 0; i < sample->n_label; i++)
		if (!strcmp(text(read, sample->label[i]->key), key))
			return sample->label[i];
	return NULL;
}

static struct spool_builder process(uint32_t pid, uint64_t library, uint32_t counters)
{
	struct spool_builder builder = spool_builder_new(counters, 1 << 20);
	struct spool_module *module;

	spool_builder_header(&builder)->pid = pid;
	module = spool_builder_module(&builder, library, library + 0x10000, library, "/no/lib.so");
	module->build_id_bytes = 3;
	memcpy(module->build_id, "\x01\xab\xff", 3);
	module = spool_builder_module(&builder, EXECUTABLE, EXECUTABLE + 0x1000, 0, "/no/program");
	module->flags = SPOOL_MODULE_EXECUTABLE;
	return builder;
}

/* A process with one frame and a weight. */
static void add_frame(struct fixture *f, uint64_t address, uint64_t samples, uint64_t events)
{
	struct spool_builder builder = process(77, LIBRARY, 1);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 77, "t");
	uint32_t node = spool_builder_node(&builder, &thread, address, 0);

	spool_builder_weigh(&builder, node, 0, samples, events);
	add(f, &builder);
}

TEST_OF(struct fixture *f, a_stack_has_its_leaf_first_and_its_thread_as_labels)
{
	struct spool_builder builder = process(77, LIBRARY, 1);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 78, "worker 1");
	uint32_t outer = spool_builder_node(&builder, &thread, EXECUTABLE + 0x10, 0);
	uint32_t leaf = spool_builder_node(&builder, &thread, LIBRARY + 0x20, outer);
	const Pprof__Profile *read;
	const Pprof__Sample *sample;

	spool_builder_weigh(&builder, leaf, 0, 3, 3000);
	add(f, &builder);
	read = write_and_read(f);
	assert_valid(read);
	assert_int_equal(read->n_sample, 1);
	sample = read->sample[0];
	assert_int_equal(sample->n_location_id, 2);
	assert_int_equal(read->location[sample->location_id[0] - 1]->address, LIBRARY + 0x20);
	assert_int_equal(read->location[sample->location_id[1] - 1]->address, EXECUTABLE + 0x10);
	assert_int_equal(sample->value[0], 3);
	assert_int_equal(sample->value[1], 3000);
	assert_string_equal(text(read, label(read, sample, "thread")->str), "worker 1");
	assert_string_equal(text(read, label(read, sample, "command")->str), "target");
	assert_int_equal(label(read, sample, "pid")->num, 77);
	assert_int_equal(label(read, sample, "thread_id")->num, 78);
}

TEST_OF(struct fixture *f, the_program_is_the_first_mapping_and_build_ids_are_hexadecimal)
{
	struct spool_builder builder = process(77, LIBRARY, 1);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 77, "t");
	uint32_t kernel = spool_builder_node(&builder, &thread, 0xffffffff81000000, 0);
	const Pprof__Profile *read;

	spool_builder_weigh(&builder, kernel, 0, 1, 1);
	spool_builder_weigh(&builder, spool_builder_node(&builder, &thread, LIBRARY + 8, 0), 0, 1,
			    1);
	add(f, &builder);
	read = write_and_read(f);
	assert_valid(read);
	assert_int_equal(read->n_mapping, 3);
	assert_string_equal(text(read, read->mapping[0]->filename), "/no/program");
	assert_string_equal(text(read, read->mapping[1]->filename), "[kernel.kallsyms]");
	assert_string_equal(text(read, read->mapping[2]->filename), "/no/lib.so");
	assert_string_equal(text(read, read->mapping[2]->build_id), "01abff");
	assert_false(read->mapping[2]->has_functions); /* there is no such file to know them from */
	assert_int_equal(read->location[0]->mapping_id, 2);
}

TEST_OF(struct fixture *f, one_library_of_two_processes_is_one_mapping)
{
	const Pprof__Profile *read;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t library = i ? MOVED : LIBRARY;
		struct spool_builder builder = process(70 + i, library, 1);
		struct spool_builder_thread thread = spool_builder_thread(&builder, 70 + i, "t");
		uint32_t node = spool_builder_node(&builder, &thread, library + 0x123, 0);

		spool_builder_weigh(&builder, node, 0, 1, 5);
		add(f, &builder);
	}
	read = write_and_read(f);
	assert_valid(read);
	assert_int_equal(read->n_mapping, 2);
	assert_int_equal(read->n_location, 1);
	assert_int_equal(read->location[0]->address, LIBRARY + 0x123);
	assert_int_equal(read->n_sample, 2);
	assert_int_equal(label(read, read->sample[1], "pid")->num, 71);
}

TEST_OF(struct fixture *f, the_counter_asked_for_first_is_the_last_kind_of_value)
{
	struct spool_builder builder = process(77, LIBRARY, 3);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 77, "t");
	struct spool_counter *counter = spool_builder_header(&builder)->counter;
	uint32_t node = spool_builder_node(&builder, &thread, LIBRARY + 8, 0);
	const Pprof__Profile *read;

	strcpy(counter[0].name, "task-clock:u");
	counter[0].unit = SPOOL_UNIT_NS;
	counter[0].period = 2000;
	counter[1].flags = SPOOL_COUNTER_UNAVAILABLE;
	counter[2].flags = 0; /* counts along */
	spool_builder_weigh(&builder, node, 0, 4, 8000);
	spool_builder_weigh(&builder, node, 2, 4, 55);
	add(f, &builder);
	read = write_and_read(f);
	assert_valid(read);
	assert_int_equal(read->n_sample_type, 3);
	assert_string_equal(text(read, read->sample_type[0]->type), "samples");
	assert_string_equal(text(read, read->sample_type[0]->unit), "count");
	assert_string_equal(text(read, read->sample_type[1]->type), "counter2");
	assert_string_equal(text(read, read->sample_type[2]->type), "cpu");
	assert_string_equal(text(read, read->sample_type[2]->unit), "nanoseconds");
	assert_string_equal(text(read, read->period_type->type), "cpu");
	assert_int_equal(read->period, 2000);
	assert_int_equal(sum(read, 0), 4);
	assert_int_equal(sum(read, 1), 55);
	assert_int_equal(sum(read, 2), 8000);
}

TEST_OF(struct fixture *f, pseudo_frames_and_foreign_addresses_need_no_mapping)
{
	struct spool_builder builder = process(77, LIBRARY, 1);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 77, "t");
	uint32_t cut = spool_builder_node(&builder, &thread, SPOOL_PC_TRUNCATED, 0);
	uint32_t lost = spool_builder_node(&builder, &thread, 0x10000, cut);
	const Pprof__Profile *read;

	spool_builder_weigh(&builder, lost, 0, 1, 1);
	add(f, &builder);
	read = write_and_read(f);
	assert_valid(read);
	assert_int_equal(read->sample[0]->n_location_id, 2);
	assert_int_equal(read->location[0]->mapping_id, 0);
	assert_int_equal(read->location[0]->address, 0);
	assert_int_equal(read->location[1]->address, 0x10000);
	assert_string_equal(text(read, read->function[0]->name), "[truncated]");
}

TEST_OF(struct fixture *f, the_last_address_of_all_lies_in_no_mapping)
{
	add_frame(f, UINT64_MAX, 1, 1);
	assert_valid(write_and_read(f));
	assert_int_equal(f->read->location[0]->mapping_id, 0);
}

TEST_OF(struct fixture *f, names_of_any_bytes_become_text)
{
	struct spool_builder builder = process(77, LIBRARY, 1);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 77, "\xff\"\x01<&>");
	const Pprof__Profile *read;

	spool_builder_module(&builder, MOVED, MOVED + 4096, MOVED, "/\xc3(\n\xed\xa0\x80");
	strcpy(spool_builder_header(&builder)->counter[0].name, "a\xfe");
	spool_builder_weigh(&builder, spool_builder_node(&builder, &thread, MOVED, 0), 0, 1, 1);
	add(f, &builder);
	read = write_and_read(f);
	assert_valid(read);
	assert_string_equal(text(read, label(read, read->sample[0], "thread")->str),
			    "\ufffd\"\ufffd<&>");
	assert_string_equal(text(read, read->sample_type[1]->type), "a\ufffd");
	assert_string_equal(text(read, read->mapping[1]->filename), "/\ufffd(\ufffd\ufffd");
}

TEST_OF(struct fixture *f, values_beyond_the_format_stop_at_its_largest)
{
	add_frame(f, LIBRARY, UINT64_MAX, UINT64_MAX - 5);
	write_and_read(f);
	assert_int_equal(f->read->sample[0]->value[0], INT64_MAX);
	assert_int_equal(f->read->sample[0]->value[1], INT64_MAX);
}

TEST_OF(struct fixture *f, a_profile_without_samples_is_a_profile)
{
	struct spool_builder builder = process(77, LIBRARY, 1);
	const Pprof__Profile *read;

	add(f, &builder);
	read = write_and_read(f);
	assert_valid(read);
	assert_int_equal(read->n_sample, 0);
	assert_int_equal(read->n_sample_type, 2);
}

TEST_OF(struct fixture *f, losses_and_overhead_are_in_the_comments)
{
	struct spool_builder builder = process(77, LIBRARY, 1);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 77, "t");
	const Pprof__Profile *read;
	unsigned found = 0;

	thread.slot->count[SPOOL_COUNT_LOST_RING] = 17;
	thread.slot->count[SPOOL_COUNT_HANDLER_NS] = 4321;
	add(f, &builder);
	read = write_and_read(f);
	for (size_t i = 0; i < read->n_comment; i++) {
		found += strstr(text(read, read->comment[i]), "; 17 lost") != NULL;
		found += strstr(text(read, read->comment[i]), "overhead: 4321 ns") != NULL;
	}
	assert_int_equal(found, 2);
}

TEST(without_addresses_there_is_nothing_to_write)
{
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };
	struct profile *profile = profile_new(&options);

	assert_int_equal(format_pprof(&(struct format_content){ .profile = profile }, stdout),
			 -EINVAL);
	profile_free(profile);
}

TEST_OF(struct fixture *f, a_full_disk_is_an_error)
{
	FILE *full = fopen("/dev/full", "we");

	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	add_frame(f, LIBRARY, 1, 1);
	assert_int_equal(format_pprof(&(struct format_content){ .profile = f->profile }, full),
			 -EIO);
	fclose(full);
}
