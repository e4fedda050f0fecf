/* An interpreted function has the name that its program's source gives it. */
#include "runtime/profile/symbols/code_names.h"
#include "runtime/profile/symbols/lines.h"
#include "tests/support/namer_fixture.h"
#include "tests/support/unit.h"

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
	is_text(code_names_module(&spool, add(SPOOL_LANGUAGE_PYTHON, "f", "f", file)), expected);
}

TEST(a_python_function_that_was_renamed_has_the_name_of_tracebacks)
{
	is_named(SPOOL_LANGUAGE_PYTHON, "solve", "dispatch.<locals>.decorator.<locals>.public_api",
		 "<__array_function__ internals>", "<__array_function__ internals>.solve");
	is_named(SPOOL_LANGUAGE_PYTHON, "api", "public_api", "/a.py", "a.api");
	is_named(SPOOL_LANGUAGE_PYTHON, "long_api", "api", "/a.py", "a.long_api");
	is_named(SPOOL_LANGUAGE_PYTHON, "api", "api", "/a.py", "a.api");
	is_named(SPOOL_LANGUAGE_PYTHON, "api", "C.api", "/a.py", "a.C.api");
	is_named(SPOOL_LANGUAGE_PYTHON, "<lambda>", "f.<locals>.<lambda>", "/a.py",
		 "a.f.<locals>.<lambda>");
	is_named(SPOOL_LANGUAGE_PYTHON, "", "C.f", "/a.py", "a.C.f");
}

TEST(a_python_module_is_named_by_its_path_below_a_directory_of_modules)
{
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
}

TEST(a_python_file_elsewhere_is_its_own_module)
{
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
}

TEST(python_code_without_a_file_keeps_what_python_calls_it)
{
	is_module("<frozen importlib._bootstrap>", "importlib._bootstrap");
	is_module("<frozen runpy>", "runpy");
	is_module("<string>", "<string>");
	is_module("<stdin>", "<stdin>");
	is_module("<a/b>", "<a/b>");
	is_module("", "[unknown]");
}

TEST(a_python_function_is_named_with_its_module_and_classes)
{
	is_named(SPOOL_LANGUAGE_PYTHON, "decode", "JSONDecoder.decode",
		 "/usr/lib/python3.11/json/decoder.py", "json.decoder.JSONDecoder.decode");
	is_named(SPOOL_LANGUAGE_PYTHON, "decode", "", "/usr/lib/python3.9/json/decoder.py",
		 "json.decoder.decode");
	is_named(SPOOL_LANGUAGE_PYTHON, "<module>", "<module>", "/home/me/app.py", "app.<module>");
	is_named(SPOOL_LANGUAGE_PYTHON, "<lambda>", "f.<locals>.<lambda>", "<stdin>",
		 "<stdin>.f.<locals>.<lambda>");
	is_named(SPOOL_LANGUAGE_PYTHON, "f", "f", "", "f");
	is_named(SPOOL_LANGUAGE_PYTHON, "", "", "", "[nameless function]");
}

TEST(functions_of_other_languages_are_named_as_those_write_them)
{
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
	assert_true(code_names_imports(&spool, add(SPOOL_LANGUAGE_PYTHON, "_find_and_load", "",
						   "<frozen importlib._bootstrap>")));
	assert_true(code_names_imports(&spool, add(SPOOL_LANGUAGE_PYTHON, "get_code", "",
						   "<frozen importlib._bootstrap_external>")));
	assert_false(code_names_imports(&spool, add(SPOOL_LANGUAGE_PYTHON, "import_module", "",
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
	uint64_t pc = add(SPOOL_LANGUAGE_PYTHON, "f", "f", "/usr/lib/python3.11/a/b.py");
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
	uint64_t pc = add(SPOOL_LANGUAGE_PYTHON, "f", "f", "/srv/app.py");
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
