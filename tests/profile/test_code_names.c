/* An interpreted function has the name that its program's source gives it, and the line of every
 * place in one of Python is that which this Python itself reads. */
#include <ctype.h>
#include <glob.h>

#include "runtime/profile/symbols/code_names.h"
#include "runtime/profile/symbols/lines.h"
#include "tests/support/namer_fixture.h"
#include "tests/support/unit.h"

#define PYTHON SPOOL_LANGUAGE_PYTHON

static char texts[16384];
static struct spool_code codes[8];
static struct spool_read spool = { .codes = codes, .texts = texts };

static struct spool_text put(const char *text, size_t bytes)
{
	struct spool_text put = { (uint32_t)spool.text_bytes, (uint32_t)bytes };

	assert_true(spool.text_bytes + bytes < sizeof(texts));
	memcpy(texts + spool.text_bytes, text, bytes);
	spool.text_bytes += bytes;
	return put;
}

/* Returns the pc of a new function. */
static uint64_t add(enum spool_language language, const char *name, const char *qualified,
		    const char *file)
{
	codes[spool.code_count++] = (struct spool_code){
		.language = language,
		.first_line = 10,
		.name = put(name, strlen(name)),
		.qualified = put(qualified, strlen(qualified)),
		.file = put(file, strlen(file)),
	};
	return spool_code_pc((uint32_t)spool.code_count, 0);
}

UNIT(setup)
{
	spool.code_count = spool.text_bytes = 0;
	memset(codes, 0, sizeof(codes));
	return 0;
}

static void is_text(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	free(text);
}

static void is_named(enum spool_language language, const char *name, const char *qualified,
		     const char *file, const char *expected)
{
	unit_setup(NULL);
	is_text(code_names_function(&spool, add(language, name, qualified, file)), expected);
}

static void is_module(const char *file, const char *expected)
{
	unit_setup(NULL);
	is_text(code_names_module(&spool, add(PYTHON, "f", "f", file)), expected);
}

TEST(python_modules_are_named_by_their_files)
{
	/* a python module is named by its path below a directory of modules */
	is_module("/usr/lib/python3.11/json/decoder.py", "json.decoder");
	is_module("/usr/lib/python3.11/json/__init__.py", "json");
	is_module("/opt/py/lib64/python3.13t/threading.py", "threading");
	is_module("/usr/lib/python3/dist-packages/apt/package.py", "apt.package");
	is_module("/v/lib/python3.12/site-packages/numpy/core/_methods.py", "numpy.core._methods");
	is_module("/v/lib/python3.12/site-packages/pip/__main__.py", "pip.__main__");
	is_module("/v/lib/python3.12/site-packages/a-1.egg/a/b.py", "a.b");
	is_module("/v/lib/python3.12/lib-dynload/x.py", "x");
	is_module("site-packages/x/y.py", "x.y");
	is_module("/tmp/app.pyz/pkg/mod.py", "pkg.mod");
	/* a python file elsewhere is its own module */
	is_module("/home/me/app.py", "app");
	is_module("app.py", "app");
	is_module("/home/me/gui.pyw", "gui");
	is_module("/usr/bin/script", "script");
	is_module("/home/me/pkg/__init__.py", "pkg");
	is_module("/home/me/pkg/__main__.py", "pkg.__main__");
	is_module("__main__.py", "__main__");
	is_module("/home/me/python3.11/app.py", "app");
	is_module("/", "");
	is_module(".py", ".py");
	/* python code without a file keeps what python calls it */
	is_module("<frozen importlib._bootstrap>", "importlib._bootstrap");
	is_module("<frozen runpy>", "runpy");
	is_module("<string>", "<string>");
	is_module("<stdin>", "<stdin>");
	is_module("<a/b>", "<a/b>");
	is_module("", "[unknown]");
}

TEST(functions_are_named_as_their_languages_write_them)
{
	/* a python function is named with its module and classes */
	is_named(PYTHON, "decode", "JSONDecoder.decode", "/usr/lib/python3.11/json/decoder.py",
		 "json.decoder.JSONDecoder.decode");
	is_named(PYTHON, "decode", "", "/usr/lib/python3.9/json/decoder.py", "json.decoder.decode");
	is_named(PYTHON, "<module>", "<module>", "/home/me/app.py", "app.<module>");
	is_named(PYTHON, "<lambda>", "f.<locals>.<lambda>", "<stdin>",
		 "<stdin>.f.<locals>.<lambda>");
	is_named(PYTHON, "f", "f", "", "f");
	is_named(PYTHON, "", "", "", "[nameless function]");
	/* a python function that was renamed has the name of tracebacks */
	is_named(PYTHON, "solve", "dispatch.<locals>.decorator.<locals>.public_api",
		 "<__array_function__ internals>", "<__array_function__ internals>.solve");
	is_named(PYTHON, "api", "public_api", "/a.py", "a.api");
	is_named(PYTHON, "long_api", "api", "/a.py", "a.long_api");
	is_named(PYTHON, "api", "api", "/a.py", "a.api");
	is_named(PYTHON, "api", "C.api", "/a.py", "a.C.api");
	is_named(PYTHON, "<lambda>", "f.<locals>.<lambda>", "/a.py", "a.f.<locals>.<lambda>");
	is_named(PYTHON, "", "C.f", "/a.py", "a.C.f");
	/* functions of other languages are named as those write them */
	is_named(SPOOL_LANGUAGE_PHP, "add", "Cart::add", "/srv/cart.php", "Cart::add");
	is_named(SPOOL_LANGUAGE_PHP, "add", "", "/srv/cart.php", "add");
	is_named(SPOOL_LANGUAGE_PHP, "", "", "/srv/index.php", "{main} index.php");
	is_named(SPOOL_LANGUAGE_PHP, "{main}", "", "index.php", "{main} index.php");
	is_named(SPOOL_LANGUAGE_PHP, "{include}", "", "/srv/lib.php", "{include} lib.php");
	is_named(SPOOL_LANGUAGE_PERL, "{require}", "", "/srv/My.pm", "{require} My.pm");
	is_named(SPOOL_LANGUAGE_RUBY, "each", "Array#each", "/srv/a.rb", "Array#each");
	is_named(SPOOL_LANGUAGE_RUBY, "block in x", "", "/srv/a.rb", "block in x");
	is_named(SPOOL_LANGUAGE_RUBY, "<main>", "", "/srv/a.rb", "<main> a.rb");
	is_named(SPOOL_LANGUAGE_PERL, "parse", "My::Parser::parse", "p.pl", "My::Parser::parse");
	is_named((enum spool_language)99, "f", "", "f.x", "f");
}

TEST(the_core_of_import_is_known)
{
	assert_true(code_names_imports(&spool, add(PYTHON, "_find_and_load", "",
						   "<frozen importlib._bootstrap>")));
	assert_true(code_names_imports(&spool, add(PYTHON, "get_code", "",
						   "<frozen importlib._bootstrap_external>")));
	assert_false(code_names_imports(&spool, add(PYTHON, "import_module", "",
						    "/usr/lib/python3.11/importlib/__init__.py")));
	assert_false(code_names_imports(&spool, 0x401000));
}

static void is_plain(uint32_t name, const char *expected)
{
	assert_string_equal(namer_plain(namer_fixture.namer, name), expected);
}

static void frame_is(uint64_t pc, const char *expected)
{
	is_plain(namer_name(namer_fixture.namer, pc, 0), expected);
}

TEST(frames_have_the_suffix_of_interpreted_functions)
{
	uint64_t pc = add(PYTHON, "f", "f", "/usr/lib/python3.11/a/b.py");
	uint64_t odd = add(SPOOL_LANGUAGE_RUBY, "a;b\n c 7", "", "x.rb");

	namer_fixture_begin(&spool);
	frame_is(pc, "a.b.f_[p]");
	frame_is(spool_code_pc(1, 500), "a.b.f_[p]");
	frame_is(odd, "a:b? c_7_[p]");
	frame_is(spool_code_pc(3, 0), "[unknown]_[p]");
	frame_is(spool_code_pc(0, 0), "[unknown]_[p]");
	frame_is(SPOOL_PC_COLLECTING, "[gc]_[p]");
	is_plain(namer_module_name(namer_fixture.namer, pc, 0), "a.b_[p]");
	assert_null(namer_module(namer_fixture.namer, pc, 0));
}

TEST(frames_have_the_lines_of_their_places)
{
	uint64_t pc = add(PYTHON, "f", "f", "/srv/app.py");
	struct lines_origin origin;
	struct lines *lines;
	const uint32_t *names;

	codes[0].lines = SPOOL_LINES_PEP626;
	codes[0].table = put("\x04\x01\x04\x05", 4);
	namer_fixture_begin(&spool);
	lines = lines_new(namer_fixture.namer, &namer_fixture.strings);
	assert_int_equal(lines_find(lines, pc + 6, 0, true, true, &names), 1);
	is_plain(names[0], "app.f:app.py:16_[p]");
	assert_true(lines_origin(lines, "app.f:app.py:16_[p]", &origin));
	assert_string_equal(origin.name, "app.f_[p]");
	assert_string_equal(origin.file, "/srv/app.py");
	assert_int_equal(origin.line, 16);
	assert_int_equal(lines_find(lines, pc + 6, 0, false, false, &names), 1);
	is_plain(names[0], "app.f_[p]");
	lines_free(lines);
}

#define SCRIPT	      "tests/profile/code_tables.py"
#define PYTHONS_LEAST 1000 /* functions that every version's library has */

static uint32_t find(enum spool_lines lines, uint32_t first, const char *table, size_t bytes,
		     uint32_t place)
{
	const struct spool_code code = { .lines = lines, .first_line = first };

	return code_names_line(&code, table, bytes, place);
}

TEST(a_place_has_a_line)
{
	/* a place that is a line needs no table */
	assert_int_equal(find(SPOOL_LINES_PLACE, 3, "", 0, 12), 12);
	assert_int_equal(find(SPOOL_LINES_PLACE, 3, "", 0, 0), 3);
	assert_int_equal(find(SPOOL_LINES_NONE, 3, "", 0, 12), 3);
	assert_int_equal(find(SPOOL_LINES_NONE, 0, "", 0, 12), 0);
	/* a place without a line is in the first */
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
