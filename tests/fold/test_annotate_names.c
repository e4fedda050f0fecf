/* A user names a function as a report prints it, or leaves out what is clear. */
#include "runtime/fold/annotate/annotate_names.h"
#include "tests/support/unit.h"

TEST(a_name_of_a_report_fits_as_a_whole)
{
	assert_int_equal(annotate_names_fit("compute", "compute"), ANNOTATE_FIT_WHOLE);
	assert_int_equal(annotate_names_fit("read_[k]", "read_[k]"), ANNOTATE_FIT_WHOLE);
	assert_int_equal(annotate_names_fit("operator new[]", "operator new[]"),
			 ANNOTATE_FIT_WHOLE);
}

TEST(a_suffix_may_be_left_out_or_be_another)
{
	assert_int_equal(annotate_names_fit("read", "read_[k]"), ANNOTATE_FIT_PLAIN);
	assert_int_equal(annotate_names_fit("square_[i]", "square"), ANNOTATE_FIT_PLAIN);
	assert_int_equal(annotate_names_fit("rea", "read_[k]"), ANNOTATE_FIT_NONE);
}

TEST(a_pattern_fits_what_a_shell_would_match)
{
	assert_int_equal(annotate_names_fit("str*", "strlen"), ANNOTATE_FIT_PATTERN);
	assert_int_equal(annotate_names_fit("str*", "substr"), ANNOTATE_FIT_NONE);
}

TEST(namespaces_classes_and_modules_may_be_left_out)
{
	assert_int_equal(annotate_names_fit("twice", "space::twice"), ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("decode", "json.decoder.decode_[p]"),
			 ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("b::c", "a::b::c(int, x::y)"), ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("f", "(anonymous namespace)::f(char*)"),
			 ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("wice", "space::twice"), ANNOTATE_FIT_NONE);
	assert_int_equal(annotate_names_fit("y", "a::b(int, x::y)"), ANNOTATE_FIT_NONE);
}

TEST(arguments_of_templates_may_be_left_out)
{
	assert_int_equal(annotate_names_fit("swap", "app::swap<int, 3>"), ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("app::swap", "app::swap<box<int> >"),
			 ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("swap", "app::swap::<u32>"), ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("swap<int, 3>", "app::swap<int, 3>"),
			 ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("swap<int>", "app::swap<long>"), ANNOTATE_FIT_NONE);
	assert_int_equal(annotate_names_fit("operator", "app::operator<=>"), ANNOTATE_FIT_NONE);
	assert_int_equal(annotate_names_fit("app", "app::<u32>"), ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("x", "<>"), ANNOTATE_FIT_NONE);
	assert_int_equal(annotate_names_fit("", "<u32>"), ANNOTATE_FIT_NONE);
}

TEST(parameters_that_the_profile_does_not_have_are_no_obstacle)
{
	assert_int_equal(annotate_names_fit("app::f(int, char*)", "app::f"), ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("f(int)", "(anonymous namespace)::f"),
			 ANNOTATE_FIT_PART);
	assert_int_equal(annotate_names_fit("main::{lambda(int)#1}::operator()",
					    "main::{lambda(long)#1}::operator()"),
			 ANNOTATE_FIT_NONE);
	assert_int_equal(annotate_names_fit("(int)", "app::f"), ANNOTATE_FIT_NONE);
}

TEST(an_empty_name_fits_nothing)
{
	assert_int_equal(annotate_names_fit("", "compute"), ANNOTATE_FIT_NONE);
	assert_int_equal(annotate_names_fit("", "space::"), ANNOTATE_FIT_NONE);
	assert_int_equal(annotate_names_fit("compute", ""), ANNOTATE_FIT_NONE);
	assert_int_equal(annotate_names_fit("compute", "::"), ANNOTATE_FIT_NONE);
}
