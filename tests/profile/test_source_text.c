/* Lines of a source file are found by their numbers; what is no text has none. */
#include "runtime/output/annotate/annotate_listing.h"
#include "tests/support/unit.h"

static char path[64];

int unit_setup(__attribute__((unused)) void **state)
{
	int fd;

	strcpy(path, "/tmp/flametrap-test-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 || close(fd);
}

int unit_teardown(__attribute__((unused)) void **state)
{
	return unlink(path);
}

static void fill(const void *bytes, size_t count)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

static void expect(struct source_text *source, uint32_t line, const char *text)
{
	size_t bytes;
	const char *found = source_text_line(source, path, line, &bytes);

	if (!text) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_int_equal(bytes, strlen(text));
	assert_memory_equal(found, text, bytes);
}

TEST(lines_are_numbered_from_1)
{
	static const char text[] = "one\n\nthree\r\nlast";
	struct source_text source = { 0 };

	fill(text, strlen(text));
	expect(&source, 0, NULL);
	expect(&source, 1, "one");
	expect(&source, 2, "");
	expect(&source, 3, "three");
	expect(&source, 4, "last");
	expect(&source, 5, NULL);
	assert_int_equal(source_text_lines(&source, path), 4);
	source_text_free(&source);
}

TEST(a_line_feed_at_the_end_begins_no_line)
{
	struct source_text source = { 0 };

	fill("one\n", 4);
	expect(&source, 1, "one");
	expect(&source, 2, NULL);
	source_text_free(&source);
}

TEST(what_is_no_text_has_no_lines)
{
	struct source_text source = { 0 };
	size_t bytes;

	fill("one\0two\n", 8);
	expect(&source, 1, NULL);
	assert_null(source_text_line(&source, "/dev/zero", 1, &bytes));
	assert_null(source_text_line(&source, "/proc/self/status", 1, &bytes));
	assert_null(source_text_line(&source, "/nonexistent", 1, &bytes));
	assert_null(source_text_line(&source, "relative.c", 1, &bytes));
	assert_null(source_text_line(&source, "", 1, &bytes));
	source_text_free(&source);
}

TEST(an_empty_file_has_no_lines)
{
	struct source_text source = { 0 };

	expect(&source, 1, NULL);
	assert_int_equal(source_text_lines(&source, path), 0);
	source_text_free(&source);
}

TEST(a_closed_text_reads_no_file)
{
	struct source_text source = { .closed = true };

	fill("one\n", 4);
	expect(&source, 1, NULL);
	assert_int_equal(source_text_lines(&source, path), 0);
	source_text_free(&source);
}
