/* The functions of interpreters in a spool are read with their texts.  One that is damaged loses
 * its text, and a frame that names none keeps its place. */
#include "runtime/profile/spool/spool_check.h"
#include "tests/support/spool_fixture.h"
#include "tests/support/unit.h"

#define MANY 500

/* A frame of main, one of the first function at line 5, one of the second. */
int unit_setup(void **state)
{
	struct spool_fixture *f = spool_fixture_new(state, 1, 4 << 20);
	struct spool_builder_thread thread = spool_builder_thread(&f->builder, 7, "python");
	uint32_t number;

	f->code[0] = spool_builder_code(&f->builder, "outer", "/program.py", &number);
	f->code[1] = spool_builder_code(&f->builder, "inner", "/module.py", &number);
	f->code[1]->qualified = spool_builder_text(&f->builder, "Class.inner", 11);
	f->code[1]->table = spool_builder_text(&f->builder, "\0\1\2", 3);
	f->node[0] = spool_builder_node(&f->builder, &thread, 0x1100, 0);
	f->node[1] = spool_builder_node(&f->builder, &thread, spool_code_pc(1, 5), f->node[0]);
	f->node[2] = spool_builder_node(&f->builder, &thread, spool_code_pc(2, 0), f->node[1]);
	spool_builder_weigh(&f->builder, f->node[2], 0, 5, 50);
	return 0;
}

static void assert_text(const struct spool_read *spool, struct spool_text text,
			const char *expected)
{
	assert_int_equal(text.bytes, strlen(expected));
	assert_true(text.at + text.bytes <= spool->text_bytes);
	if (text.bytes)
		assert_memory_equal(spool->texts + text.at, expected, text.bytes);
}

TEST_OF(struct spool_fixture *f, functions_are_read_with_their_texts)
{
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(f->spool.code_count, 2);
	assert_text(&f->spool, f->spool.codes[0].name, "outer");
	assert_text(&f->spool, f->spool.codes[0].qualified, "");
	assert_text(&f->spool, f->spool.codes[0].file, "/program.py");
	assert_text(&f->spool, f->spool.codes[1].qualified, "Class.inner");
	assert_int_equal(f->spool.codes[1].table.bytes, 3);
	assert_int_equal(f->spool.codes[1].lines, SPOOL_LINES_PLACE);
	assert_int_equal(f->spool.texts[f->spool.text_bytes], '\0');
	assert_int_equal(f->spool.threads[0].nodes[1].pc, spool_code_pc(1, 5));
}

TEST_OF(struct spool_fixture *f, lists_of_many_chunks_are_read_whole)
{
	char name[SPOOL_CODE_NAME_MAX + 1] = "";
	uint32_t number;

	memset(name, 'n', SPOOL_CODE_NAME_MAX);
	for (unsigned i = 0; i < MANY; i++) {
		name[0] = (char)('a' + i % 26);
		spool_builder_code(&f->builder, name, "/more.py", &number);
	}
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(f->spool.code_count, 2 + MANY);
	for (unsigned i = 0; i < MANY; i++) {
		name[0] = (char)('a' + i % 26);
		assert_text(&f->spool, f->spool.codes[2 + i].name, name);
		assert_text(&f->spool, f->spool.codes[2 + i].file, "/more.py");
	}
}

TEST_OF(struct spool_fixture *f, a_spool_without_functions_has_none)
{
	spool_builder_at(&f->builder, f->node[1])->pc = 0x1200;
	spool_builder_at(&f->builder, f->node[2])->pc = 0x1300;
	spool_builder_header(&f->builder)->first_code = 0;
	spool_builder_header(&f->builder)->first_text = 0;
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(f->spool.code_count, 0);
	assert_int_equal(f->spool.text_bytes, 0);
}

TEST_OF(struct spool_fixture *f, a_text_out_of_range_is_lost_and_its_function_stays)
{
	const struct spool_text wrong[] = {
		{ UINT32_MAX, 1 }, { 0, 300 }, { 20, UINT32_MAX }, { UINT32_MAX, UINT32_MAX }
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		f->code[0]->name = wrong[i];
		assert_int_equal(spool_fixture_read(f), 1);
		assert_non_null(strstr(f->line, "a text of function 1"));
		assert_int_equal(f->spool.code_count, 2);
		assert_int_equal(f->spool.codes[0].name.bytes, 0);
		assert_text(&f->spool, f->spool.codes[0].file, "/program.py");
		assert_int_equal(f->spool.threads[0].nodes[1].pc, spool_code_pc(1, 5));
	}
}

/* Names of frames would be empty, and a line of folded stacks with one could not be read. */
TEST_OF(struct spool_fixture *f, a_text_of_a_label_ends_before_a_zero_byte)
{
	struct spool_label *label;

	spool_builder_label(&f->builder, 0, "key", "value");
	spool_builder_label(&f->builder, 1, "key", "value");
	label = (void *)(f->builder.bytes + f->builder.last_label + SPOOL_CHUNK_HEAD);
	label[0].value = spool_builder_text(&f->builder, "\0value", 6);
	label[1].key = spool_builder_text(&f->builder, "ke\0y", 4);
	f->timed = true;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_non_null(strstr(f->line, "a text of label 1 has a zero byte at 0 of 6"));
	assert_int_equal(f->spool.label_count, 2);
	assert_text(&f->spool, f->spool.labels[0].key, "key");
	assert_text(&f->spool, f->spool.labels[0].value, "");
	assert_text(&f->spool, f->spool.labels[1].key, "ke");
	assert_text(&f->spool, f->spool.labels[1].value, "value");
}

TEST_OF(struct spool_fixture *f, a_text_that_the_writer_would_have_cut_is_lost)
{
	static char longer[SPOOL_CODE_TABLE_MAX + 1];

	f->code[0]->name = spool_builder_text(&f->builder, longer, SPOOL_CODE_NAME_MAX + 1);
	f->code[0]->file = spool_builder_text(&f->builder, longer, SPOOL_CODE_FILE_MAX + 1);
	f->code[1]->name = spool_builder_text(&f->builder, longer, SPOOL_CODE_NAME_MAX);
	f->code[1]->file = spool_builder_text(&f->builder, longer, SPOOL_CODE_FILE_MAX);
	f->code[0]->table = spool_builder_text(&f->builder, longer, SPOOL_CODE_TABLE_MAX + 1);
	f->code[1]->table = spool_builder_text(&f->builder, longer, SPOOL_CODE_TABLE_MAX);
	assert_int_equal(spool_fixture_read(f), 1);
	assert_int_equal(f->spool.codes[0].name.bytes, 0);
	assert_int_equal(f->spool.codes[0].file.bytes, 0);
	assert_int_equal(f->spool.codes[0].table.bytes, 0);
	assert_int_equal(f->spool.codes[1].name.bytes, SPOOL_CODE_NAME_MAX);
	assert_int_equal(f->spool.codes[1].file.bytes, SPOOL_CODE_FILE_MAX);
	assert_int_equal(f->spool.codes[1].table.bytes, SPOOL_CODE_TABLE_MAX);
}

TEST_OF(struct spool_fixture *f, a_frame_of_no_function_stays_without_a_name)
{
	const uint32_t wrong[] = { 0, 3, UINT32_MAX };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		spool_builder_at(&f->builder, f->node[1])->pc = spool_code_pc(wrong[i], 9);
		assert_int_equal(spool_fixture_read(f), 1);
		assert_non_null(strstr(f->line, "a frame of function"));
		assert_int_equal(f->spool.threads[0].node_count, 3);
		assert_int_equal(f->spool.threads[0].nodes[1].pc, SPOOL_PC_CODE);
		assert_int_equal(f->spool.threads[0].nodes[2].parent, 1);
		assert_int_equal(f->spool.threads[0].weights[2].samples, 5);
	}
}

TEST_OF(struct spool_fixture *f, a_list_that_is_damaged_ends_there)
{
	struct spool_chunk *texts = (void *)(f->builder.bytes + f->builder.last_text);
	struct spool_chunk *codes = (void *)(f->builder.bytes + f->builder.last_code);

	texts->kind = SPOOL_CHUNK_NODES;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_int_equal(f->spool.code_count, 2);
	assert_int_equal(f->spool.text_bytes, 0);
	assert_int_equal(f->spool.codes[0].name.bytes, 0);
	texts->kind = SPOOL_CHUNK_TEXTS;
	texts->count = SPOOL_CHUNK_BYTES;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_int_equal(f->spool.text_bytes, SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD);
	assert_text(&f->spool, f->spool.codes[0].name, "outer");
	codes->next = f->builder.last_code;
	assert_int_equal(spool_fixture_read(f), 1);
	assert_int_equal(f->spool.code_count, 2);
}

TEST_OF(struct spool_fixture *f, a_file_cut_anywhere_gives_whole_functions)
{
	uint64_t used = spool_builder_header(&f->builder)->used_bytes;

	for (uint64_t size = used - SPOOL_CHUNK_BYTES; size < used; size += 16) {
		assert_int_equal(spool_fixture_read_cut(f, size), 1);
		for (size_t i = 0; i < f->spool.code_count; i++)
			assert_true(f->spool.codes[i].name.at + f->spool.codes[i].name.bytes <=
				    f->spool.text_bytes);
	}
}

/* The header was read before the first function was published. */
TEST_OF(struct spool_fixture *f, a_live_spool_may_have_begun_its_lists_since)
{
	struct spool_header header = *spool_builder_header(&f->builder);
	struct spool_check check = { .fd = spool_builder_fd(&f->builder), .header = &header };
	struct spool_read spool = { .thread_count = 0 };

	header.first_code = header.first_text = 0;
	for (unsigned running = 0; running < 2; running++) {
		header.state = running ? SPOOL_RUNNING : SPOOL_FINISHED;
		assert_int_equal(spool_check_begin(&check), 0);
		assert_int_equal(spool_read_scripts(&check, false, &spool), 0);
		assert_int_equal(spool.code_count, running ? 2 : 0);
		assert_int_equal(spool.text_bytes != 0, running);
		assert_false(check.damaged);
		spool_read_free(&spool);
		spool_check_end(&check);
	}
	close(check.fd);
}
