/* Kernel symbols and JIT maps name exactly the code they describe. */
#include "runtime/profile/symbols/jit.h"
#include "runtime/profile/symbols/kernel.h"
#include "tests/support/unit.h"

static struct kernel *kernel_of(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	struct kernel *kernel = kernel_read(file);

	fclose(file);
	return kernel;
}

static struct jit *jit_of(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	struct jit *jit = jit_read(file, NULL, 0);

	fclose(file);
	return jit;
}

static void assert_name(const char *name, const char *expected)
{
	assert_string_equal(name ? name : "none", expected);
}

TEST(a_kernel_function_reaches_to_the_next_symbol)
{
	struct kernel *kernel = kernel_of("ffffffff81000000 T _stext\n"
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
	kernel_free(kernel);
}

TEST(the_last_symbol_before_a_gap_does_not_fill_it)
{
	struct kernel *kernel = kernel_of("ffffffff81000000 T last\nffffffffc0000000 t far\n");

	assert_name(kernel_find(kernel, 0xffffffff90000000), "none");
	kernel_free(kernel);
}

TEST(hidden_kernel_addresses_name_nothing)
{
	struct kernel *kernel = kernel_of("0000000000000000 T _stext\n0000000000000000 t other\n");

	assert_name(kernel_find(kernel, 0), "none");
	assert_name(kernel_find(kernel, 0xffffffff81000000), "none");
	kernel_free(kernel);
}

TEST(lines_that_are_no_symbols_are_passed_over)
{
	struct kernel *kernel = kernel_of("\n \nhello\nffffffff81000000\nffffffff81000000 T\n"
					  "ffffffff81000000 TT x\nffffffff81000000 T \n"
					  "ffffffff81000000 T good\nffffffff81000010 T next");

	assert_name(kernel_find(kernel, 0xffffffff81000000), "good");
	assert_name(kernel_find(kernel, 0xffffffff81000010), "next");
	kernel_free(kernel);
}

TEST(the_kernels_half_is_told_from_the_users)
{
	assert_false(kernel_owns(0x00007fffffffffff));
	assert_true(kernel_owns(0xffff800000000000));
	assert_true(kernel_owns(0xffffffff81000000));
	assert_false(kernel_owns(0xffffffffff600000));
}

TEST(the_last_line_for_an_address_wins)
{
	struct jit *jit = jit_of("1000 100 old name\n1080 10 new\n1000 20 newest\n");

	assert_name(jit_find(jit, 0x1000), "newest");
	assert_name(jit_find(jit, 0x1020), "old name");
	assert_name(jit_find(jit, 0x1085), "new");
	assert_name(jit_find(jit, 0x1090), "old name");
	assert_name(jit_find(jit, 0x1100), "none");
	jit_free(jit);
}

TEST(hotspots_interpreter_is_told_from_compiled_code)
{
	struct jit *jit = jit_of("1000 10 Interpreter\n2000 10 void Interpreter.run()\n");
	const char *ending;

	assert_name(jit_frame_find(jit, 0x1000, &ending), "[interpreted Java method]");
	assert_string_equal(ending, "_[p]");
	assert_name(jit_frame_find(jit, 0x2000, &ending), "void Interpreter.run()");
	assert_string_equal(ending, "_[j]");
	assert_name(jit_frame_find(jit, 0x3000, &ending), "none");
	jit_free(jit);
}

TEST(damaged_lines_of_a_jit_map_cost_themselves_only)
{
	struct jit *jit = jit_of("xyz\n1000\n1000 10\n ffffffffffffffff 10 wraps\n"
				 "ffffffffffffff00 ffff wraps\n2000 10 good\n3000 10 cut");

	assert_name(jit_find(jit, 0x1000), "none");
	assert_name(jit_find(jit, 0xffffffffffffff00), "none");
	assert_name(jit_find(jit, 0x2000), "good");
	assert_name(jit_find(jit, 0x3000), "cut");
	jit_free(jit);
}

TEST(without_a_map_nothing_has_a_name)
{
	struct jit *jit = jit_read(NULL, NULL, 0);

	assert_name(jit_find(jit, 0x1000), "none");
	jit_free(jit);
}
