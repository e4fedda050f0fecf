/* In a pprof file, an interpreted function has its file, and each of its places a line. */
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

#define LIBRARY 0x7f0000000000

static uint32_t call(struct spool_builder *builder, struct spool_builder_thread *thread,
		     uint32_t code, uint32_t line, uint32_t parent)
{
	uint32_t node = spool_builder_node(builder, thread, spool_code_pc(code, line), parent);

	spool_builder_weigh(builder, node, 0, 1, 1);
	return node;
}

/* Add a process that runs a program of two functions; the profile leaves out the native frame that
 * runs them.  If `other`, a third one comes before them in
 * its list. */
static void add_process(struct profile *profile, bool other)
{
	struct spool_builder builder = spool_builder_new(1, 1 << 20);
	struct spool_builder_thread thread = spool_builder_thread(&builder, 7, "t");
	uint32_t native = spool_builder_node(&builder, &thread, LIBRARY + 8, 0);
	char path[] = "/tmp/flametrap-test-XXXXXX", line[512];
	uint32_t module, work, number, outer;

	spool_builder_module(&builder, LIBRARY, LIBRARY + 0x10000, LIBRARY, "/no/lib.so");
	if (other)
		spool_builder_code(&builder, "other", "/no/other.py", &number);
	spool_builder_code(&builder, "<module>", "/no/app.py", &module);
	spool_builder_code(&builder, "work", "/no/app.py", &work)->first_line = 3;
	outer = call(&builder, &thread, module, 12, native);
	call(&builder, &thread, work, 4, outer);
	call(&builder, &thread, work, 5, outer);
	close(mkstemp(path));
	spool_builder_write(&builder, path);
	spool_builder_free(&builder);
	assert_int_equal(profile_read(profile, path, line, sizeof(line)), 0);
	unlink(path);
}

/* Returns what is written for that many such processes; free with pprof__profile__free_unpacked().
 */
static Pprof__Profile *written(unsigned processes)
{
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE, .locations = true };
	struct profile *profile = profile_new(&options);
	Pprof__Profile *read;
	struct written to;

	assert_non_null(profile);
	for (unsigned i = 0; i < processes; i++)
		add_process(profile, i > 0);
	assert_int_equal(format_pprof(&(struct format_content){ .profile = profile },
				      written_begin(&to)),
			 0);
	written_end(&to);
	read = pprof_reader_read(to.text, to.bytes);
	free(to.text);
	profile_free(profile);
	assert_non_null(read);
	return read;
}

static const char *text(const Pprof__Profile *read, int64_t index)
{
	assert_in_range(index, 0, read->n_string_table - 1);
	return read->string_table[index];
}

TEST(an_interpreter_is_a_mapping_with_names_and_lines)
{
	Pprof__Profile *read = written(1);
	const Pprof__Mapping *python = read->mapping[read->n_mapping - 1];

	assert_string_equal(text(read, python->filename), "[python]");
	assert_true(python->has_functions && python->has_filenames && python->has_line_numbers);
	for (size_t i = 0; i < read->n_location; i++)
		if (read->location[i]->mapping_id == python->id)
			assert_in_range(read->location[i]->address, python->memory_start,
					python->memory_limit - 1);
	pprof__profile__free_unpacked(read, NULL);
}

TEST(places_of_one_function_are_locations_that_differ_in_their_lines)
{
	Pprof__Profile *read = written(1);
	const Pprof__Line *first = read->location[1]->line[0], *second = read->location[2]->line[0];
	const Pprof__Function *work;

	assert_int_equal(read->n_location, 3);
	assert_int_equal(first->line, 4);
	assert_int_equal(second->line, 5);
	assert_int_equal(first->function_id, second->function_id);
	work = read->function[first->function_id - 1];
	assert_string_equal(text(read, work->name), "app.work");
	assert_string_equal(text(read, work->system_name), "app.work_[p]");
	assert_string_equal(text(read, work->filename), "/no/app.py");
	assert_int_equal(work->start_line, 3);
	pprof__profile__free_unpacked(read, NULL);
}

TEST(one_function_of_two_processes_is_one_function)
{
	Pprof__Profile *read = written(2);

	assert_int_equal(read->n_location, 3);
	assert_int_equal(read->n_function, 2);
	pprof__profile__free_unpacked(read, NULL);
}
