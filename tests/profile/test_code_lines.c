/* The line of every place in a Python function is the one that this Python itself reads. */
#include <ctype.h>
#include <glob.h>

#include "runtime/profile/symbols/code_names.h"
#include "tests/support/unit.h"

#define SCRIPT	      "tests/profile/code_tables.py"
#define PYTHONS_LEAST 1000 /* functions that every version's library has */

static uint32_t find(enum spool_lines lines, uint32_t first, const char *table, size_t bytes,
		     uint32_t place)
{
	const struct spool_code code = { .lines = lines, .first_line = first };

	return code_names_line(&code, table, bytes, place);
}

TEST(a_place_that_is_a_line_needs_no_table)
{
	assert_int_equal(find(SPOOL_LINES_PLACE, 3, "", 0, 12), 12);
	assert_int_equal(find(SPOOL_LINES_PLACE, 3, "", 0, 0), 3);
	assert_int_equal(find(SPOOL_LINES_NONE, 3, "", 0, 12), 3);
	assert_int_equal(find(SPOOL_LINES_NONE, 0, "", 0, 12), 0);
}

TEST(a_place_without_a_line_is_in_the_first)
{
	assert_int_equal(find(SPOOL_LINES_PEP626, 7, "\x04\x02\x04\x80\x04\x01", 6, 0), 9);
	assert_int_equal(find(SPOOL_LINES_PEP626, 7, "\x04\x02\x04\x80\x04\x01", 6, 4), 7);
	assert_int_equal(find(SPOOL_LINES_PEP626, 7, "\x04\x02\x04\x80\x04\x01", 6, 8), 10);
	assert_int_equal(find(SPOOL_LINES_PEP657, 7, "\xd9\x10\x10\xf9", 4, 2), 8);
	assert_int_equal(find(SPOOL_LINES_PEP657, 7, "\xe9\x04\xf8", 3, 2), 9);
	assert_int_equal(find(SPOOL_LINES_PEP657, 7, "\xe9\x04\xf8", 3, 4), 7);
}

TEST(a_table_that_ends_too_early_gives_a_line)
{
	static const char table[] = "\xf2\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f";

	for (int kind = 0; kind < 6; kind++)
		for (size_t bytes = 0; bytes < sizeof(table); bytes++)
			assert_true(find((enum spool_lines)kind, 5, table, bytes, 100) > 0);
}

static uint32_t number_of(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

/* Turns hexadecimal digits into bytes, in place.  Returns how many. */
static size_t take_bytes(char *text)
{
	size_t count = 0;

	for (; text[2 * count] && text[0] != '-'; count++) {
		char byte[] = { text[2 * count], text[2 * count + 1], '\0' };

		text[count] = (char)strtoul(byte, NULL, 16);
	}
	return count;
}

/* Compare what a line of the script's output says; it is changed. */
static void compare_function(char *line)
{
	char *rest, *number = strtok_r(line, " \n", &rest);
	char *first = strtok_r(NULL, " \n", &rest);
	char *table = strtok_r(NULL, " \n", &rest);
	struct spool_code code;
	size_t bytes;

	assert_non_null(table);
	code = (struct spool_code){ .lines = number_of(number), .first_line = number_of(first) };
	bytes = take_bytes(table);
	for (uint32_t place = 0; (number = strtok_r(NULL, " \n", &rest)); place += 2) {
		uint32_t expected = number_of(number);

		assert_int_equal(code_names_line(&code, table, bytes, place),
				 expected ? expected : code.first_line);
	}
}

/* Returns the number of functions compared; 0 if there is no such Python. */
static unsigned compare_python(const char *python)
{
	char command[512];
	char *line = NULL;
	size_t room = 0;
	unsigned functions = 0;
	FILE *output;

	snprintf(command, sizeof(command), "timeout 60 '%s' -I -W ignore %s 2>/dev/null", python,
		 SCRIPT);
	output = popen(command, "r");
	assert_non_null(output);
	for (; getline(&line, &room, output) > 0; functions++)
		compare_function(line);
	free(line);
	assert_true(pclose(output) == 0 || !functions);
	return functions;
}

TEST(lines_are_those_that_each_python_here_reads)
{
	static const char *const patterns[] = { "/usr/bin/python3.[0-9]*",
						"/usr/local/bin/python3.[0-9]*",
						"~/.pyenv/versions/3.*/bin/python3" };
	glob_t found = { 0 };
	unsigned pythons = 0;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		glob(patterns[i], GLOB_TILDE | (i ? GLOB_APPEND : 0), NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		unsigned functions;

		if (!isdigit((unsigned char)path[strlen(path) - 1]))
			continue; /* python3.11-config */
		functions = compare_python(path);
		assert_true(!functions || functions > PYTHONS_LEAST);
		pythons += functions > 0;
	}
	globfree(&found);
	if (!pythons) {
		print_message("no python3 is installed\n");
		skip();
	}
}
