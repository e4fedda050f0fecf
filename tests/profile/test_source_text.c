/* Lines of a source file are found by their numbers; what is no text has none. */
#include "runtime/output/annotate/annotate_listing.h"
#include "tests/support/unit.h"

static char path[64];
static struct source_text source;

UNIT(setup)
{
	int fd;

	source = (struct source_text){ 0 };
	strcpy(path, "/tmp/flametrap-test-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 || close(fd);
}

UNIT(teardown)
{
	source_text_free(&source);
	return unlink(path);
}

static void fill(const void *bytes, size_t count)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

static void expect(uint32_t line, const char *text)
{
	size_t bytes;
	const char *found = source_text_line(&source, path, line, &bytes);

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
	fill(text, strlen(text));
	expect(0, NULL);
	expect(1, "one");
	expect(2, "");
	expect(3, "three");
	expect(4, "last");
	expect(5, NULL);
	assert_int_equal(source_text_lines(&source, path), 4);
}

TEST(a_line_feed_at_the_end_begins_no_line)
{
	fill("one\n", 4);
	expect(1, "one");
	expect(2, NULL);
}

TEST(what_is_no_text_has_no_lines)
{
	size_t bytes;

	fill("one\0two\n", 8);
	expect(1, NULL);
	assert_null(source_text_line(&source, "/dev/zero", 1, &bytes));
	assert_null(source_text_line(&source, "/proc/self/status", 1, &bytes));
	assert_null(source_text_line(&source, "/nonexistent", 1, &bytes));
	assert_null(source_text_line(&source, "relative.c", 1, &bytes));
	assert_null(source_text_line(&source, "", 1, &bytes));
}

TEST(an_empty_file_has_no_lines)
{
	expect(1, NULL);
	assert_int_equal(source_text_lines(&source, path), 0);
}

TEST(a_closed_text_reads_no_file)
{
	source.closed = true;
	fill("one\n", 4);
	expect(1, NULL);
	assert_int_equal(source_text_lines(&source, path), 0);
}
