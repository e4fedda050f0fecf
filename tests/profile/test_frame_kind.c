/* The name of a frame tells its kind of code, or that it is not code; leaves that are not code name
 * the data that an access met. */
#include <linux/perf_event.h>

#include "runtime/profile/symbols/data_frames.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/spool/format.h"
#include "runtime/spool/special_pc.h"
#include "tests/support/unit.h"

static void kind(const char *name, enum frame_kind expected, size_t expected_bytes)
{
	size_t bytes;

	assert_int_equal(frame_kind_of(name, &bytes), expected);
	assert_int_equal(bytes, expected_bytes);
}

TEST(kinds_are_told_by_suffix_and_brackets)
{
	kind("main", FRAME_KIND_USER, 4);
	kind("do_sys_poll_[k]", FRAME_KIND_KERNEL, 11);
	kind("LFoo;::bar_[j]", FRAME_KIND_JIT, 10);
	kind("json.decoder.JSONDecoder.decode_[p]", FRAME_KIND_INTERP, 31);
	kind("std::sort_[i]", FRAME_KIND_INLINED, 9);
	kind("waker_[w]", FRAME_KIND_USER, 9);
	kind("read_[o]", FRAME_KIND_WAITING, 4);
	kind("[off-CPU]", FRAME_KIND_WAITING, 9);
	kind("[still blocked]", FRAME_KIND_WAITING, 15);
	kind("[preempted]", FRAME_KIND_PREEMPTED, 11);
	kind("_[k]", FRAME_KIND_USER, 4);
	kind("[libz.so.1]", FRAME_KIND_UNKNOWN, 11);
	kind("[truncated]", FRAME_KIND_UNKNOWN, 11);
	kind("[kernel]_[k]", FRAME_KIND_KERNEL, 8);
	kind("libz.so.1@0x12ab", FRAME_KIND_UNKNOWN, 16);
	kind("libz.so.1@12ab", FRAME_KIND_UNKNOWN, 14);
	kind("memcpy@GLIBC_2.14", FRAME_KIND_USER, 17);
	kind("x@0x", FRAME_KIND_USER, 4);
	kind("@", FRAME_KIND_USER, 1);
	kind("", FRAME_KIND_USER, 0);
	kind("[", FRAME_KIND_USER, 1);
	kind("operator[]", FRAME_KIND_USER, 10);
}

TEST(frames_without_an_address_have_names_of_their_own)
{
	assert_string_equal(special_pc_name(SPOOL_PC_TRUNCATED), "[truncated]");
	assert_string_equal(special_pc_name(SPOOL_PC_BLOCKED), "[still blocked]");
	assert_string_equal(special_pc_name(SPOOL_PC_LIMIT - 1), "[unknown]");
	assert_string_equal(special_pc_name(SPOOL_PC_COLLECTING), "[gc]_[p]");
	assert_string_equal(special_pc_name(SPOOL_PC_NO_CODE), "[no room for its name]_[p]");
	for (uint64_t pc = 0; pc < SPOOL_PC_LIMIT; pc++) {
		const char *name = special_pc_name(pc);

		if (!frame_kind_is_special(name))
			assert_string_equal(name, "[unknown]");
	}
	assert_true(frame_kind_is_special("[truncated]"));
	assert_false(frame_kind_is_special("[off-CPU]"));
	assert_false(frame_kind_is_special("truncated"));
	assert_false(frame_kind_is_special(""));
}

TEST(data_is_named_by_its_module_or_its_address)
{
	const struct spool_module module = { .bias = 0x400000, .path = "/opt/prog" };
	char text[64];

	data_frame_text(SPOOL_PC_DATA | 0x404040, &module, NULL, text, sizeof(text));
	assert_string_equal(text, "[data prog+0x4040]");
	data_frame_text(SPOOL_PC_DATA | 0x7ffe0010, NULL, NULL, text, sizeof(text));
	assert_string_equal(text, "[data 0x7ffe0010]");
}

TEST(memory_is_named_by_operation_and_level)
{
	static const struct {
		uint64_t source;
		const char *text;
	} cases[] = {
		{ PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, HIT),
		  "[load L1 hit]" },
		{ PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, MISS),
		  "[store L1 miss]" },
		{ PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, REM_RAM2) | PERF_MEM_S(LVL, HIT),
		  "[load remote RAM hit]" },
		{ PERF_MEM_S(OP, PFETCH) | PERF_MEM_S(LVL, NA), "[prefetch]" },
		{ PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, UNC), "[access uncached]" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cases[i].source & ~SPOOL_PC_MEMORY_BITS, 0);
		data_frame_text(SPOOL_PC_MEMORY | cases[i].source, NULL, NULL, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
	}
}

TEST(what_a_fault_met_is_named_by_its_kind)
{
	static const struct {
		uint64_t pc;
		const char *base, *text;
	} cases[] = {
		{ SPOOL_PC_REGION + SPOOL_REGION_STACK, NULL, "[stack]" },
		{ SPOOL_PC_REGION + SPOOL_REGION_HEAP, NULL, "[heap]" },
		{ SPOOL_PC_REGION + SPOOL_REGION_ANONYMOUS, NULL, "[anonymous mapping]" },
		{ SPOOL_PC_REGION + SPOOL_REGION_FILE, NULL, "[file mapping]" },
		{ SPOOL_PC_REGION + SPOOL_REGION_UNKNOWN, NULL, "[unknown mapping]" },
		{ SPOOL_PC_REGION + 999, NULL, "[unknown mapping]" },
		{ SPOOL_PC_FILE + 3, "passwd", "[file passwd]" },
		{ SPOOL_PC_FILE + 3, "[vvar]", "[vvar]" },
		{ SPOOL_PC_FILE + 3, NULL, "[unknown mapping]" },
		{ SPOOL_PC_LIBRARY + 0x7f0000400000, "libz.so.1", "[data libz.so.1]" },
		{ SPOOL_PC_LIBRARY + 0x7f0000400000, NULL, "[data of a library]" },
	};
	char text[64];
	uint64_t address;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spool_module module = { .start = 1 };
		const char *base = cases[i].base;

		assert_true(data_frame_is(cases[i].pc));
		assert_false(data_frame_address(cases[i].pc, &address));
		if (base)
			snprintf(module.path, sizeof(module.path), "%s%s",
				 base[0] == '[' ? "" : "/etc/", base);
		data_frame_text(cases[i].pc, base ? &module : NULL, NULL, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
		assert_int_equal(data_frame_is_text(text), !base || base[0] != '[');
	}
	assert_true(data_frame_in_module(SPOOL_PC_LIBRARY + 0x7f0000400000, &address));
	assert_int_equal(address, 0x7f0000400000);
	assert_true(data_frame_in_module(SPOOL_PC_FILE + 3, &address));
	assert_int_equal(address, SPOOL_PC_FILE + 3);
	assert_false(data_frame_in_module(SPOOL_PC_REGION + SPOOL_REGION_HEAP, &address));
}

TEST(code_of_user_and_kernel_is_no_datum)
{
	uint64_t address;

	assert_false(data_frame_is(0x00007fffffffffff));
	assert_false(data_frame_is(0xffffffff81000000));
	assert_false(data_frame_is(SPOOL_PC_TRUNCATED));
	assert_true(data_frame_is(SPOOL_PC_DATA | 0x404040));
	assert_true(data_frame_is(SPOOL_PC_MEMORY | SPOOL_PC_MEMORY_BITS));
	assert_true(data_frame_address(SPOOL_PC_DATA | 0x404040, &address));
	assert_int_equal(address, 0x404040);
	assert_false(data_frame_address(SPOOL_PC_MEMORY | 2, &address));
}
