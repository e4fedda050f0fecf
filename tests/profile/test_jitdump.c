/* jitdump files: code, moved code and source lines.  Damage costs only the data after it. */
#include "runtime/profile/symbols/jit.h"
#include "tests/support/unit.h"

#define PID 77

static char bytes[4096];
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

static void start(uint32_t magic, uint32_t pid)
{
	used = 0;
	put32(magic);
	put32(1);
	put32(48); /* eight bytes more than this reader knows */
	put32(62);
	put32(0);
	put32(pid);
	put64(0);
	put64(0);
	put64(0x1122334455667788);
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
	size_t at = record(0);

	put32(PID);
	put32(PID);
	put64(address);
	put64(address);
	put64(size);
	put64(1);
	put(name, strlen(name) + 1);
	put("code", 4);
	end_record(at);
}

static void move(uint64_t from, uint64_t to, uint64_t size)
{
	size_t at = record(1);

	put32(PID);
	put32(PID);
	put64(to);
	put64(from);
	put64(to);
	put64(size);
	put64(1);
	end_record(at);
}

static void line(uint64_t address, uint32_t number, const char *file)
{
	put64(address);
	put32(number);
	put32(0);
	put(file, strlen(file) + 1);
}

static struct jit *read_all(size_t size)
{
	FILE *file = fmemopen(bytes, size, "r");
	struct jit *jit;

	assert_non_null(file);
	jit = jit_read(NULL, file, PID);
	fclose(file);
	assert_non_null(jit);
	return jit;
}

static void assert_code(const struct jit *jit, uint64_t address, const char *name, const char *file,
			uint32_t number)
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
	struct jit *jit;

	start(0x4a695444, PID);
	load(0x1000, 0x100, "first");
	end_record(record(4)); /* unwinding information */
	load(0x1080, 0x10, "second");
	end_record(record(3)); /* closed */
	load(0x1000, 0x100, "never");
	jit = read_all(used);
	assert_code(jit, 0x1000, "first", NULL, 0);
	assert_code(jit, 0x1080, "second", NULL, 0);
	assert_code(jit, 0x1090, "first", NULL, 0);
	assert_code(jit, 0x1100, NULL, NULL, 0);
	jit_free(jit);
}

TEST(lines_belong_to_the_code_that_follows_them)
{
	struct jit *jit;
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
	jit = read_all(used);
	assert_code(jit, 0x5000, "without", NULL, 0);
	assert_code(jit, 0x1000, "f", "/a/one.js", 10);
	assert_code(jit, 0x100f, "f", "/a/one.js", 10);
	assert_code(jit, 0x1010, "f", "/a/one.js", 20);
	assert_code(jit, 0x103f, "f", "/b/two.js", 30);
	assert_code(jit, 0x2000, "g", NULL, 0);
	jit_free(jit);
}

TEST(code_that_moves_takes_name_and_lines_along)
{
	struct jit *jit;
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
	jit = read_all(used);
	assert_code(jit, 0x8008, "f", "one.js", 10);
	assert_code(jit, 0x8018, "f", "one.js", 20);
	assert_code(jit, 0x1000, "g", NULL, 0);
	assert_code(jit, 0x6000, NULL, NULL, 0);
	jit_free(jit);
}

TEST(a_file_that_is_cut_anywhere_says_what_it_still_can)
{
	size_t whole;

	start(0x4a695444, PID);
	load(0x1000, 0x10, "f");
	whole = used;
	load(0x2000, 0x10, "g");
	for (size_t size = 1; size < used; size++) {
		struct jit *jit = read_all(size);

		assert_code(jit, 0x1000, size >= whole ? "f" : NULL, NULL, 0);
		assert_code(jit, 0x2000, NULL, NULL, 0);
		jit_free(jit);
	}
}

TEST(another_process_s_file_is_not_believed)
{
	static const uint32_t magics[] = { 0x4a695444, 0x4454694a, 0x4a695444 };
	static const uint32_t pids[] = { PID + 1, PID, PID };

	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++) {
		struct jit *jit;

		start(magics[i], pids[i]);
		load(0x1000, 0x10, "f");
		jit = read_all(used);
		assert_code(jit, 0x1000, i == 2 ? "f" : NULL, NULL, 0);
		jit_free(jit);
	}
}
