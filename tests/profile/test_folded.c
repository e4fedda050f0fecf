/* Folded stacks that are written are read back the same.  A hostile line costs only itself. */
#include "runtime/output/formats/format_content.h"
#include "runtime/profile/input/folded_read.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

/* What comes with the text that format_folded() makes of the input. */
struct result {
	size_t skipped;
	char line[256];
	int err;
};

static void write_tree(struct frame_tree *tree)
{
	frame_tree_sort(tree);
	folded_text_write(tree);
}

static struct result fold_bytes(const char *input, size_t bytes)
{
	struct result result;
	struct frame_tree *tree = frame_tree_new();
	FILE *file = bytes ? fmemopen((void *)(uintptr_t)input, bytes, "r") : tmpfile();

	assert_non_null(tree);
	assert_non_null(file);
	result.err = folded_read(tree, file, "in.folded", &result.skipped, result.line,
				 sizeof(result.line));
	fclose(file);
	write_tree(tree);
	frame_tree_free(tree);
	return result;
}

static void expect(const char *input, const char *output, size_t skipped, const char *line)
{
	struct result result = fold_bytes(input, strlen(input));

	assert_int_equal(result.err, 0);
	assert_string_equal(written.text, output);
	assert_int_equal(result.skipped, skipped);
	assert_string_equal(result.line, line);
}

/* What the lines of the input become, all of which can be read. */
TEST(what_a_line_may_have)
{
	static const struct {
		const char *name, *input, *output;
	} rows[] = {
		{ "lines are summed and sorted", "b;x 1\na;y 2\nb;x 3\na 4\na;c 5\n",
		  "a 4\na;c 5\na;y 2\nb;x 4\n" },
		{ "names hold spaces", "app;operator new(unsigned long) 7\n",
		  "app;operator new(unsigned long) 7\n" },
		{ "also before the count", "app;  two spaces   9\n", "app;  two spaces   9\n" },
		{ "names are empty", "a;;b 1\n;c 2\nd; 3\n", ";c 2\na;;b 1\nd; 3\n" },
		{ "line ends of Windows, empty lines", "\r\na;b 1\r\n\n   \na;b 2\r\n", "a;b 3\n" },
		{ "no end of the last line", "a 1\nb 2", "a 1\nb 2\n" },
		{ "a tab before the count", "a;b\t12\n", "a;b 12\n" },
		{ "fractions are rounded", "a 1.5\nb 2.49\nc 3.\n", "a 2\nb 2\nc 3\n" },
		{ "bytes that are no text", "\xff\xfe;\x01<&\"' 1\n", "\xff\xfe;\x01<&\"' 1\n" },
		{ "the largest count", "a 18446744073709551615\n", "a 18446744073709551615\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		print_message("%s\n", rows[i].name);
		expect(rows[i].input, rows[i].output, 0, "");
	}
}

TEST(a_line_that_is_no_stack_is_skipped_and_described)
{
	expect("a 1\nno count here\nb x12\nc 12x\nd -5\ne 2\n", "a 1\ne 2\n", 4,
	       "in.folded:2: there is no count at its end");
	expect("alone\n", "", 1, "in.folded:1: there is no stack, or no count at its end");
	expect("12\n", "", 1, "in.folded:1: there is no stack, or no count at its end");
	expect("a 18446744073709551616\nb 1\n", "b 1\n", 1,
	       "in.folded:1: its count is larger than 2^64-1");
	expect(" 3\n", "", 1, "in.folded:1: there is no stack before its count");
	expect("a 18446744073709551615\nb 1\na 1\n", "a 18446744073709551615\n", 2,
	       "in.folded:2: the sum of all counts is larger than 2^64-1");
}

TEST(a_nul_byte_costs_its_line_only)
{
	static const char input[] = "a 1\nb\0b 2\nc 3\n";
	struct result result = fold_bytes(input, sizeof(input) - 1);

	assert_string_equal(written.text, "a 1\nc 3\n");
	assert_int_equal(result.skipped, 1);
	assert_string_equal(result.line, "in.folded:2: the line holds a NUL byte");
}

TEST(an_empty_file_is_no_error)
{
	struct result result = fold_bytes("", 0);

	assert_int_equal(result.err, 0);
	assert_string_equal(written.text, "");
}

TEST(a_line_of_seventeen_mebibytes_is_skipped_whole)
{
	const size_t bytes = (size_t)17 << 20;
	char *input = malloc(bytes + 6);
	struct result result;

	assert_non_null(input);
	memset(input, 'x', bytes);
	memcpy(input + bytes, " 1\na 2", 6);
	result = fold_bytes(input, bytes + 6);
	assert_int_equal(result.skipped, 1);
	assert_string_equal(result.line, "in.folded:1: the line is longer than 16 MiB");
	assert_string_equal(written.text, "a 2\n");
	free(input);
}

TEST(a_deep_stack_is_read_and_a_deeper_one_is_skipped)
{
	char *input = malloc(70000);
	struct result result;

	assert_non_null(input);
	for (size_t i = 0; i < 16384; i++)
		memcpy(input + 2 * i, "f;", 2);
	memcpy(input + 2 * 16384 - 1, " 5\n", 4);
	result = fold_bytes(input, strlen(input));
	assert_int_equal(result.skipped, 0);
	assert_string_equal(written.text, input);
	memcpy(input + 2 * 16384 - 1, ";f 5\n", 6);
	result = fold_bytes(input, strlen(input));
	assert_int_equal(result.skipped, 1);
	assert_string_equal(result.line, "in.folded:1: the stack has more than 16384 frames");
	free(input);
}

TEST(the_writer_mends_names_that_would_break_the_line)
{
	struct frame_tree *tree = frame_tree_new();
	const char *const frames[] = { "a;b", "c\nd" };

	assert_int_equal(frame_tree_add(tree, frames, 2, 1), 0);
	write_tree(tree);
	assert_string_equal(written.text, "a:b;c d 1\n");
	frame_tree_free(tree);
}

TEST(a_full_device_is_reported)
{
	struct frame_tree *tree = frame_tree_new();
	const char *const frames[] = { "a" };

	assert_int_equal(frame_tree_add(tree, frames, 1, 1), 0);
	assert_int_equal(format_folded(&(struct format_content){ .tree = tree }, written_full()),
			 -EIO);
	frame_tree_free(tree);
}

TEST(a_directory_cannot_be_read)
{
	struct frame_tree *tree = frame_tree_new();
	FILE *file = fopen("/", "r");
	char line[64];
	size_t skipped;

	assert_non_null(tree);
	assert_non_null(file);
	assert_int_equal(folded_read(tree, file, "/", &skipped, line, sizeof(line)), -EISDIR);
	fclose(file);
	frame_tree_free(tree);
}
