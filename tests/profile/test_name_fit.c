/* A user names a function as a report prints it, or leaves out what is clear. */
#include "runtime/profile/symbols/name_fit.h"
#include "tests/support/unit.h"

TEST(a_name_of_a_report_fits_as_a_whole)
{
	assert_int_equal(name_fit("compute", "compute"), NAME_FIT_WHOLE);
	assert_int_equal(name_fit("read_[k]", "read_[k]"), NAME_FIT_WHOLE);
	assert_int_equal(name_fit("operator new[]", "operator new[]"), NAME_FIT_WHOLE);
}

TEST(a_suffix_may_be_left_out_or_be_another)
{
	assert_int_equal(name_fit("read", "read_[k]"), NAME_FIT_PLAIN);
	assert_int_equal(name_fit("square_[i]", "square"), NAME_FIT_PLAIN);
	assert_int_equal(name_fit("rea", "read_[k]"), NAME_FIT_NONE);
}

TEST(a_pattern_fits_what_a_shell_would_match)
{
	assert_int_equal(name_fit("str*", "strlen"), NAME_FIT_PATTERN);
	assert_int_equal(name_fit("str*", "substr"), NAME_FIT_NONE);
}

TEST(namespaces_classes_and_modules_may_be_left_out)
{
	assert_int_equal(name_fit("twice", "space::twice"), NAME_FIT_PART);
	assert_int_equal(name_fit("decode", "json.decoder.decode_[p]"), NAME_FIT_PART);
	assert_int_equal(name_fit("b::c", "a::b::c(int, x::y)"), NAME_FIT_PART);
	assert_int_equal(name_fit("f", "(anonymous namespace)::f(char*)"), NAME_FIT_PART);
	assert_int_equal(name_fit("wice", "space::twice"), NAME_FIT_NONE);
	assert_int_equal(name_fit("y", "a::b(int, x::y)"), NAME_FIT_NONE);
}

TEST(arguments_of_templates_may_be_left_out)
{
	assert_int_equal(name_fit("swap", "app::swap<int, 3>"), NAME_FIT_PART);
	assert_int_equal(name_fit("app::swap", "app::swap<box<int> >"), NAME_FIT_PART);
	assert_int_equal(name_fit("swap", "app::swap::<u32>"), NAME_FIT_PART);
	assert_int_equal(name_fit("swap<int, 3>", "app::swap<int, 3>"), NAME_FIT_PART);
	assert_int_equal(name_fit("swap<int>", "app::swap<long>"), NAME_FIT_NONE);
	assert_int_equal(name_fit("operator", "app::operator<=>"), NAME_FIT_NONE);
	assert_int_equal(name_fit("app", "app::<u32>"), NAME_FIT_PART);
	assert_int_equal(name_fit("x", "<>"), NAME_FIT_NONE);
	assert_int_equal(name_fit("", "<u32>"), NAME_FIT_NONE);
}

TEST(parameters_that_the_profile_does_not_have_are_no_obstacle)
{
	assert_int_equal(name_fit("app::f(int, char*)", "app::f"), NAME_FIT_PART);
	assert_int_equal(name_fit("f(int)", "(anonymous namespace)::f"), NAME_FIT_PART);
	assert_int_equal(name_fit("main::{lambda(int)#1}::operator()",
				  "main::{lambda(long)#1}::operator()"),
			 NAME_FIT_NONE);
	assert_int_equal(name_fit("(int)", "app::f"), NAME_FIT_NONE);
}

TEST(an_empty_name_fits_nothing)
{
	assert_int_equal(name_fit("", "compute"), NAME_FIT_NONE);
	assert_int_equal(name_fit("", "space::"), NAME_FIT_NONE);
	assert_int_equal(name_fit("compute", ""), NAME_FIT_NONE);
	assert_int_equal(name_fit("compute", "::"), NAME_FIT_NONE);
}
