/* Kernel symbols, JIT maps and jitdump files name exactly the code they describe; damage of a
 * jitdump file costs only the data after it.  An address belongs to the object that was mapped
 * there when it was sampled. */
#include "runtime/profile/symbols/jit.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/symbols/modules.h"
#include "runtime/spool/format.h"
#include "tests/support/unit.h"

static struct kernel *kernel;
static struct jit *jit;
static struct modules *modules;

UNIT(teardown)
{
	kernel_free(kernel);
	jit_free(jit);
	modules_free(modules);
	kernel = NULL;
	jit = NULL;
	modules = NULL;
	return 0;
}

static void read_kernel(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	kernel_free(kernel);
	kernel = kernel_read(file);
	fclose(file);
}

static void read_jit(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	jit_free(jit);
	jit = jit_read(file, NULL, 0);
	fclose(file);
}

static void assert_name(const char *name, const char *expected)
{
	assert_string_equal(name ? name : "none", expected);
}

TEST(kernel_functions_reach_to_the_next_symbol)
{
	read_kernel("ffffffff81000000 T _stext\n"
		    "ffffffff81000040 t second\n"
		    "ffffffff81000100 D data\n"
		    "ffffffffc0000000 t in_module\t[module]\n"
		    "ffffffffc0000080 r constant\t[module]\n");
	assert_name(kernel_find(kernel, 0xffffffff80ffffff), "none");
	assert_name(kernel_find(kernel, 0xffffffff81000000), "_stext");
	assert_name(kernel_find(kernel, 0xffffffff8100003f), "_stext");
	assert_name(kernel_find(kernel, 0xffffffff810000ff), "second");
	assert_name(kernel_find(kernel, 0xffffffff81000100), "none");
	assert_name(kernel_find(kernel, 0xffffffffc000007f), "in_module");
	assert_name(kernel_find(kernel, 0xffffffffc0000080), "none");
	/* the last symbol before a gap does not fill it */
	read_kernel("ffffffff81000000 T last\nffffffffc0000000 t far\n");
	assert_name(kernel_find(kernel, 0xffffffff90000000), "none");
	/* hidden kernel addresses name nothing */
	read_kernel("0000000000000000 T _stext\n0000000000000000 t other\n");
	assert_name(kernel_find(kernel, 0), "none");
	assert_name(kernel_find(kernel, 0xffffffff81000000), "none");
	/* lines that are no symbols are passed over */
	read_kernel("\n \nhello\nffffffff81000000\nffffffff81000000 T\n"
		    "ffffffff81000000 TT x\nffffffff81000000 T \n"
		    "ffffffff81000000 T good\nffffffff81000010 T next");
	assert_name(kernel_find(kernel, 0xffffffff81000000), "good");
	assert_name(kernel_find(kernel, 0xffffffff81000010), "next");
}

TEST(the_kernels_half_is_told_from_the_users)
{
	assert_false(kernel_owns(0x00007fffffffffff));
	assert_true(kernel_owns(0xffff800000000000));
	assert_true(kernel_owns(0xffffffff81000000));
	assert_false(kernel_owns(0xffffffffff600000));
}

TEST(the_last_line_of_a_jit_map_for_an_address_wins)
{
	read_jit("1000 100 old name\n1080 10 new\n1000 20 newest\n");
	assert_name(jit_find(jit, 0x1000), "newest");
	assert_name(jit_find(jit, 0x1020), "old name");
	assert_name(jit_find(jit, 0x1085), "new");
	assert_name(jit_find(jit, 0x1090), "old name");
	assert_name(jit_find(jit, 0x1100), "none");
	/* damaged lines of a jit map cost themselves only */
	read_jit("xyz\n1000\n1000 10\n ffffffffffffffff 10 wraps\n"
		 "ffffffffffffff00 ffff wraps\n2000 10 good\n3000 10 cut");
	assert_name(jit_find(jit, 0x1000), "none");
	assert_name(jit_find(jit, 0xffffffffffffff00), "none");
	assert_name(jit_find(jit, 0x2000), "good");
	assert_name(jit_find(jit, 0x3000), "cut");
}

TEST(hotspots_interpreter_is_told_from_compiled_code)
{
	read_jit("1000 10 Interpreter\n2000 10 void Interpreter.run()\n");
	const char *ending;

	assert_name(jit_frame_find(jit, 0x1000, &ending), "[interpreted Java method]");
	assert_string_equal(ending, "_[p]");
	assert_name(jit_frame_find(jit, 0x2000, &ending), "void Interpreter.run()");
	assert_string_equal(ending, "_[j]");
	assert_name(jit_frame_find(jit, 0x3000, &ending), "none");
}

TEST(without_a_map_nothing_has_a_name)
{
	jit = jit_read(NULL, NULL, 0);
	assert_name(jit_find(jit, 0x1000), "none");
}

#define PID    77
#define THREAD ((uint64_t)PID << 32 | PID)

static char bytes[4096]; /* of a jitdump file */
static size_t used;

static void put(const void *what, size_t size)
{
	memcpy(bytes + used, what, size);
	used += size;
}

static void put32(uint32_t number)
{
	put(&number, sizeof(number));
}

static void put64(uint64_t number)
{
	put(&number, sizeof(number));
}

/* Begin a jitdump file. */
static void start(uint32_t magic, uint32_t pid)
{
	/* 48 bytes are eight more than this reader knows */
	const uint32_t head[12] = { magic, 1, 48, 62, 0, pid, [10] = 0x55667788, 0x11223344 };

	used = 0;
	put(head, sizeof(head));
}

/* A record's head; the length is filled in by end_record. */
static size_t record(uint32_t id)
{
	size_t at = used;

	put32(id);
	put32(0);
	put64(1);
	return at;
}

static void end_record(size_t at)
{
	uint32_t length = (uint32_t)(used - at);

	memcpy(bytes + at + 4, &length, sizeof(length));
}

static void load(uint64_t address, uint64_t size, const char *name)
{
	const uint64_t words[] = { THREAD, address, address, size, 1 };
	size_t at = record(0);

	put(words, sizeof(words));
	put(name, strlen(name) + 1);
	put("code", 4);
	end_record(at);
}

static void move(uint64_t from, uint64_t to, uint64_t size)
{
	const uint64_t words[] = { THREAD, to, from, to, size, 1 };
	size_t at = record(1);

	put(words, sizeof(words));
	end_record(at);
}

static void line(uint64_t address, uint32_t number, const char *file)
{
	put64(address);
	put32(number);
	put32(0);
	put(file, strlen(file) + 1);
}

static void read_dump(size_t size)
{
	FILE *file = fmemopen(bytes, size, "r");

	assert_non_null(file);
	jit_free(jit);
	jit = jit_read(NULL, file, PID);
	fclose(file);
	assert_non_null(jit);
}

static void assert_code(uint64_t address, const char *name, const char *file, uint32_t number)
{
	const char *found_file = NULL;
	uint32_t found = 0;

	if (name)
		assert_string_equal(jit_find(jit, address), name);
	else
		assert_null(jit_find(jit, address));
	assert_int_equal(jit_line(jit, address, &found_file, &found), file != NULL);
	if (!file)
		return;
	assert_string_equal(found_file, file);
	assert_int_equal(found, number);
}

TEST(code_has_its_last_name)
{
	start(0x4a695444, PID);
	load(0x1000, 0x100, "first");
	end_record(record(4)); /* unwinding information */
	load(0x1080, 0x10, "second");
	end_record(record(3)); /* closed */
	load(0x1000, 0x100, "never");
	read_dump(used);
	assert_code(0x1000, "first", NULL, 0);
	assert_code(0x1080, "second", NULL, 0);
	assert_code(0x1090, "first", NULL, 0);
	assert_code(0x1100, NULL, NULL, 0);
}

TEST(lines_belong_to_the_code_that_follows_them)
{
	size_t at;

	start(0x4a695444, PID);
	load(0x5000, 0x10, "without");
	at = record(2);
	put64(0x1000);
	put64(3);
	line(0x1020, 30, "/b/two.js");
	line(0x1000, 10, "/a/one.js");
	line(0x1010, 20, "\xff");
	end_record(at);
	load(0x1000, 0x40, "f");
	load(0x2000, 0x40, "g");
	read_dump(used);
	assert_code(0x5000, "without", NULL, 0);
	assert_code(0x1000, "f", "/a/one.js", 10);
	assert_code(0x100f, "f", "/a/one.js", 10);
	assert_code(0x1010, "f", "/a/one.js", 20);
	assert_code(0x103f, "f", "/b/two.js", 30);
	assert_code(0x2000, "g", NULL, 0);
}

TEST(code_that_moves_takes_name_and_lines_along)
{
	size_t at;

	start(0x4a695444, PID);
	at = record(2);
	put64(0x1000);
	put64(2);
	line(0x1000, 10, "one.js");
	line(0x1010, 20, "one.js");
	end_record(at);
	load(0x1000, 0x20, "f");
	move(0x1000, 0x9000, 0x20);
	move(0x9000, 0x8000, 0x20);
	move(0x7777, 0x6000, 0x20); /* of what was never told */
	load(0x1000, 0x20, "g");
	read_dump(used);
	assert_code(0x8008, "f", "one.js", 10);
	assert_code(0x8018, "f", "one.js", 20);
	assert_code(0x1000, "g", NULL, 0);
	assert_code(0x6000, NULL, NULL, 0);
}

TEST(a_file_that_is_cut_anywhere_says_what_it_still_can)
{
	size_t whole;

	start(0x4a695444, PID);
	load(0x1000, 0x10, "f");
	whole = used;
	load(0x2000, 0x10, "g");
	for (size_t size = 1; size < used; size++) {
		read_dump(size);
		assert_code(0x1000, size >= whole ? "f" : NULL, NULL, 0);
		assert_code(0x2000, NULL, NULL, 0);
	}
}

TEST(another_process_s_file_is_not_believed)
{
	static const uint32_t magics[] = { 0x4a695444, 0x4454694a, 0x4a695444 };
	static const uint32_t pids[] = { PID + 1, PID, PID };

	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++) {
		start(magics[i], pids[i]);
		load(0x1000, 0x10, "f");
		read_dump(used);
		assert_code(0x1000, i == 2 ? "f" : NULL, NULL, 0);
	}
}

static struct spool_module make(uint64_t start, uint64_t end, uint32_t since, uint32_t until,
				const char *path)
{
	struct spool_module module = { .start = start, .end = end, .since = since, .until = until };

	snprintf(module.path, sizeof(module.path), "%s", path);
	return module;
}

static void assert_found(uint64_t pc, uint32_t generation, const char *path)
{
	const struct spool_module *module = modules_find(modules, pc, generation);

	assert_string_equal(module ? module->path : "none", path);
}

TEST(addresses_between_modules_belong_to_none)
{
	struct spool_module list[] = {
		make(100, 200, 0, SPOOL_UNTIL_FOREVER, "a"),
		make(300, 400, 0, SPOOL_UNTIL_FOREVER, "b"),
	};

	modules = modules_new(list, 2);
	assert_found(99, 0, "none");
	assert_found(100, 0, "a");
	assert_found(199, 0, "a");
	assert_found(200, 0, "none");
	assert_found(399, 7, "b");
}

TEST(a_small_module_in_a_long_gone_large_one_is_found)
{
	struct spool_module list[] = {
		make(0, 1000, 0, 1, "large"),
		make(100, 200, 1, SPOOL_UNTIL_FOREVER, "small"),
	};

	modules = modules_new(list, 2);
	assert_found(150, 0, "large");
	assert_found(150, 1, "small");
	assert_found(900, 0, "large");
	assert_found(900, 1, "none");
}

/* Two plugins take turns at one place; each generation names the one that was there. */
TEST(thousands_of_reloads_are_told_apart)
{
	enum { RELOADS = 5000 };
	struct spool_module *list = calloc(RELOADS, sizeof(*list));

	for (uint32_t i = 0; i < RELOADS; i++)
		list[i] = make(100, 200, i, i + 1, i % 2 ? "odd" : "even");
	modules = modules_new(list, RELOADS);
	for (uint32_t i = 0; i < RELOADS; i++)
		assert_found(150, i, i % 2 ? "odd" : "even");
	assert_found(150, RELOADS, "none");
	free(list);
}
