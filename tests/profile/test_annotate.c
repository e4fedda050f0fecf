/* Weights of a function are at the addresses that samples and calls have; lines of a source are
 * found by their numbers, and what is no text has none; instructions are as the processor's manual
 * says. */
#include <elf.h>

#include "runtime/output/annotate/annotate_listing.h"
#include "runtime/output/annotate/annotate_sites.h"
#include "runtime/output/annotate/disassembler.h"
#include "runtime/profile/merge/profile_trees.h"
#include "tests/support/spool_fixture.h"
#include "tests/support/unit.h"

static struct annotate_names names;
static struct annotate_sites sites;
static struct source_text source;
static struct disassembler *disassembler;
static char path[64]; /* of the source */

int unit_setup(void **state)
{
	struct spool_fixture *f = spool_fixture_new(state, 2, 8 << 20);

	names = (struct annotate_names){ 0 };
	sites = (struct annotate_sites){ .counter_count = 2, .counters[1] = 1 };
	spool_builder_module(&f->builder, 0x100000, 0x200000, 0x100000, "/nonexistent/program");
	f->thread = spool_builder_thread(&f->builder, 7, "worker");
	source = (struct source_text){ 0 };
	strcpy(path, "/tmp/flametrap-test-XXXXXX");
	return close(mkstemp(path));
}

int unit_teardown(void **state)
{
	annotate_sites_free(&sites);
	annotate_names_free(&names);
	source_text_free(&source);
	disassembler_close(disassembler);
	disassembler = NULL;
	unlink(path);
	return spool_fixture_free(*state);
}

/* The sites of a name, in the samples of both counters. */
static const struct annotate_copy *find(struct spool_fixture *f, const char *name)
{
	static const struct profile_options options = { .locations = true };
	const struct profile_trees *merge;

	assert_int_equal(spool_fixture_add(f, &options), 0);
	merge = profile_merge(f->profile);
	assert_int_equal(annotate_names_find(&names, merge->locations, name, false), 0);
	assert_int_equal(annotate_sites_find(&sites, merge, &names), 0);
	return sites.count ? &sites.copies[0] : NULL;
}

static void expect(size_t site, uint64_t address, uint64_t self, uint64_t total)
{
	const struct annotate_site *found = &sites.copies[0].sites[site];
	struct annotate_weight weight = sites.weights[found->weights];

	assert_int_equal(found->address, address);
	assert_int_equal(weight.self, self);
	assert_int_equal(weight.total, total);
}

TEST_OF(struct spool_fixture *f, leaves_and_calls_weigh_at_their_addresses)
{
	uint32_t outer = spool_builder_leaf(&f->builder, &f->thread, 0x101000, 0, 3, 300);
	uint32_t other = spool_builder_leaf(&f->builder, &f->thread, 0x100800, 0, 2, 200);
	const struct annotate_copy *copy;

	spool_builder_leaf(&f->builder, &f->thread, 0x300000, outer, 5, 500);
	spool_builder_weigh(&f->builder, other, 1, 11, 1);
	copy = find(f, "[program]");
	assert_non_null(copy);
	assert_int_equal(copy->count, 2);
	expect(0, 0x800, 2, 2);
	expect(1, 0x1000, 3, 8);
	assert_int_equal(sites.weights[copy->sites[0].weights + 1].self, 11);
	assert_int_equal(copy->sum[0].self, 5);
	assert_int_equal(copy->sum[0].total, 10);
	assert_int_equal(sites.whole[0], 10);
}

TEST_OF(struct spool_fixture *f, recursion_counts_once)
{
	uint32_t first = spool_builder_node(&f->builder, &f->thread, 0x101000, 0);
	uint32_t second = spool_builder_node(&f->builder, &f->thread, 0x101000, first);
	const struct annotate_copy *copy;

	spool_builder_leaf(&f->builder, &f->thread, 0x102000, second, 4, 4);
	copy = find(f, "[program]");
	expect(0, 0x1000, 0, 4);
	expect(1, 0x2000, 4, 4);
	assert_int_equal(copy->sum[0].total, 4);
}

TEST_OF(struct spool_fixture *f, what_a_sample_hit_weighs_at_its_instruction)
{
	uint32_t code = spool_builder_node(&f->builder, &f->thread, 0x101000, 0);

	spool_builder_leaf(&f->builder, &f->thread, SPOOL_PC_REGION + SPOOL_REGION_HEAP, code, 6,
			   6);
	spool_builder_leaf(&f->builder, &f->thread, SPOOL_PC_PREEMPTED, code, 1, 1);
	assert_non_null(find(f, "[program]"));
	expect(0, 0x1000, 7, 7);
}

TEST_OF(struct spool_fixture *f, lines_of_an_interpreted_function_are_its_sites)
{
	const struct annotate_copy *copy;
	uint32_t number;

	spool_builder_code(&f->builder, "work", "/x/mod.py", &number);
	spool_builder_leaf(&f->builder, &f->thread, spool_code_pc(number, 12), 0, 9, 9);
	copy = find(f, "work");
	assert_non_null(copy);
	assert_int_equal(copy->kind, ANNOTATE_INTERPRETED);
	assert_string_equal(copy->path, "/x/mod.py");
	expect(0, 12, 9, 9);
}

TEST_OF(struct spool_fixture *f, a_function_without_weight_is_left_out)
{
	spool_builder_node(&f->builder, &f->thread, 0x101000, 0);
	assert_null(find(f, "[program]"));
}

static void fill(const void *bytes, size_t count)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

static void line_is(uint32_t line, const char *text)
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
	line_is(0, NULL);
	line_is(1, "one");
	line_is(2, "");
	line_is(3, "three");
	line_is(4, "last");
	line_is(5, NULL);
	assert_int_equal(source_text_lines(&source, path), 4);
}

TEST(a_line_feed_at_the_end_begins_no_line)
{
	fill("one\n", 4);
	line_is(1, "one");
	line_is(2, NULL);
}

TEST(what_is_no_text_has_no_lines)
{
	size_t bytes;

	fill("one\0two\n", 8);
	line_is(1, NULL);
	assert_null(source_text_line(&source, "/dev/zero", 1, &bytes));
	assert_null(source_text_line(&source, "/proc/self/status", 1, &bytes));
	assert_null(source_text_line(&source, "/nonexistent", 1, &bytes));
	assert_null(source_text_line(&source, "relative.c", 1, &bytes));
	assert_null(source_text_line(&source, "", 1, &bytes));
}

TEST(an_empty_file_has_no_lines)
{
	line_is(1, NULL);
	assert_int_equal(source_text_lines(&source, path), 0);
}

TEST(a_closed_text_reads_no_file)
{
	source.closed = true;
	fill("one\n", 4);
	line_is(1, NULL);
	assert_int_equal(source_text_lines(&source, path), 0);
}

/* The first of these bytes as an instruction of that machine; without capstone the case is skipped.
 */
static struct instruction decode(uint16_t machine, bool intel, const char *code, size_t count)
{
	struct instruction found;
	int err;

	disassembler_close(disassembler);
	disassembler = NULL;
	err = disassembler_open(machine, intel, &disassembler);
	if (err == -ELIBACC) {
		printf("no capstone here\n");
		fflush(stdout);
		skip();
	}
	assert_int_equal(err, 0);
	disassembler_next(disassembler, (const void *)code, count, 0x1000, &found);
	return found;
}

TEST(instructions_have_the_text_and_length_of_their_manual_and_other_bytes_are_data)
{
	static const struct {
		uint16_t machine;
		bool intel;
		const char *code;
		size_t count;
		uint32_t bytes;
		const char *mnemonic, *operands;
	} rows[] = {
		{ EM_X86_64, false, "\x48\x89\xc3", 3, 3, "movq", "%rax, %rbx" },
		{ EM_X86_64, true, "\x48\x89\xc3", 3, 3, "mov", "rbx, rax" },
		{ EM_X86_64, false, "\x06\x90", 2, 1, ".byte", "0x06" },
		{ EM_X86_64, false, "\x48\x89", 2, 1, ".byte", "0x48" },
		{ EM_AARCH64, false, "\x20\x08\xc2\x9a", 4, 4, "udiv", "x0, x1, x2" },
		{ EM_AARCH64, false, "\xff\xff\xff\xff\x12", 5, 4, ".inst", "0xffffffff" },
		{ EM_AARCH64, false, "\x12", 1, 1, ".byte", "0x12" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct instruction found =
			decode(rows[i].machine, rows[i].intel, rows[i].code, rows[i].count);

		assert_int_equal(found.bytes, rows[i].bytes);
		assert_string_equal(found.mnemonic, rows[i].mnemonic);
		assert_string_equal(found.operands, rows[i].operands);
	}
}

TEST(jumps_and_calls_have_targets)
{
	struct instruction found = decode(EM_X86_64, false, "\xe8\x0b\0\0\0", 5);
	uint64_t target;

	assert_true(disassembler_target(disassembler, &found, &target));
	assert_int_equal(target, 0x1010);
	found = decode(EM_X86_64, false, "\xff\xe0", 2); /* to an address in a register */
	assert_false(disassembler_target(disassembler, &found, &target));
	found = decode(EM_AARCH64, false, "\x04\0\0\x94", 4);
	assert_true(disassembler_target(disassembler, &found, &target));
	assert_int_equal(target, 0x1010);
}

TEST(other_machines_are_refused)
{
	struct disassembler *made;

	assert_int_equal(disassembler_open(EM_386, false, &made), -ENOTSUP);
}
