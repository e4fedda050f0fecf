/* A file that is not our spool is refused with its kind; the owner of a spool is checked. */
#include "tests/support/spool_fixture.h"
#include "tests/support/unit.h"

int unit_setup(void **state)
{
	return !spool_fixture_new(state, 2, 1 << 20);
}

TEST_OF(struct spool_fixture *f, what_is_no_spool_is_refused)
{
	spool_builder_header(&f->builder)->magic ^= 1;
	assert_int_equal(spool_fixture_read(f), -EBADMSG);
	assert_string_equal(f->line, "the.spool: byte 0: not a spool of flametrap");
}

TEST_OF(struct spool_fixture *f, another_byte_order_is_named)
{
	spool_builder_header(&f->builder)->magic = __builtin_bswap64(SPOOL_MAGIC);
	assert_int_equal(spool_fixture_read(f), -EBADMSG);
	assert_non_null(strstr(f->line, "byte order"));
}

TEST_OF(struct spool_fixture *f, another_version_is_named)
{
	spool_builder_header(&f->builder)->version = 77;
	assert_int_equal(spool_fixture_read(f), -EBADMSG);
	assert_non_null(strstr(f->line, "version 77"));
}

TEST_OF(struct spool_fixture *f, each_size_in_the_header_must_be_ours)
{
	struct spool_header *header = spool_builder_header(&f->builder);
	uint32_t *const sizes[] = { &header->header_bytes, &header->thread_bytes,
				    &header->module_bytes, &header->node_bytes,
				    &header->counter_count };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t good = *sizes[i];
		uint32_t bad[] = { 0, good - 1, good + 16, UINT32_MAX };

		for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
			*sizes[i] = bad[j];
			assert_int_equal(spool_fixture_read(f), -EBADMSG);
		}
		*sizes[i] = good;
	}
	assert_int_equal(spool_fixture_read(f), 0);
}

TEST_OF(struct spool_fixture *f, a_file_cut_inside_the_header_is_refused)
{
	assert_int_equal(spool_fixture_read_cut(f, 100), -EBADMSG);
}

TEST_OF(struct spool_fixture *f, texts_without_an_end_get_one)
{
	struct spool_header *header = spool_builder_header(&f->builder);

	memset(header->command, 'c', sizeof(header->command));
	memset(header->output, 'o', sizeof(header->output));
	memset(header->counter[1].name, 'n', sizeof(header->counter[1].name));
	assert_int_equal(spool_fixture_read(f), 0);
	assert_int_equal(strlen(f->spool.header.command), sizeof(header->command) - 1);
	assert_int_equal(strlen(f->spool.header.output), sizeof(header->output) - 1);
	assert_int_equal(strlen(f->spool.header.counter[1].name), SPOOL_NAME_MAX - 1);
}

TEST_OF(struct spool_fixture *f, only_regular_files_of_ours_are_opened)
{
	char directory[] = "/tmp/flametrap-test-XXXXXX";
	char path[64];
	int fd;

	assert_non_null(mkdtemp(directory));
	assert_int_equal(spool_read_open(directory, &fd, f->line, sizeof(f->line)), -EINVAL);
	snprintf(path, sizeof(path), "%s/link", directory);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(spool_read_open(path, &fd, f->line, sizeof(f->line)), -ELOOP);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(spool_read_open(path, &fd, f->line, sizeof(f->line)), -EINVAL);
	unlink(path);
	assert_int_equal(spool_read_open(path, &fd, f->line, sizeof(f->line)), -ENOENT);
	spool_builder_write(&f->builder, path);
	assert_int_equal(spool_read_slots(path, &f->spool, f->line, sizeof(f->line)), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_int_equal(spool_read_open(path, &fd, f->line, sizeof(f->line)), -EPERM);
	}
	unlink(path);
	rmdir(directory);
}
