/* The name of a frame tells its kind of code, or that it is not code. */
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
