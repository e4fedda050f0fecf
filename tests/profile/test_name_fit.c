/* A user names a function as a report prints it, or leaves out what is clear. */
#include "runtime/profile/symbols/name_fit.h"
#include "tests/support/unit.h"

TEST(names_fit_as_they_are_or_without_what_is_clear)
{
	static const struct {
		const char *text, *name;
		enum name_fit fit;
	} rows[] = {
		/* a name of a report fits as a whole */
		{ "compute", "compute", NAME_FIT_WHOLE },
		{ "read_[k]", "read_[k]", NAME_FIT_WHOLE },
		{ "operator new[]", "operator new[]", NAME_FIT_WHOLE },
		/* a suffix may be left out or be another */
		{ "read", "read_[k]", NAME_FIT_PLAIN },
		{ "square_[i]", "square", NAME_FIT_PLAIN },
		{ "rea", "read_[k]", NAME_FIT_NONE },
		/* a pattern fits what a shell would match */
		{ "str*", "strlen", NAME_FIT_PATTERN },
		{ "str*", "substr", NAME_FIT_NONE },
		/* namespaces classes and modules may be left out */
		{ "twice", "space::twice", NAME_FIT_PART },
		{ "decode", "json.decoder.decode_[p]", NAME_FIT_PART },
		{ "b::c", "a::b::c(int, x::y)", NAME_FIT_PART },
		{ "f", "(anonymous namespace)::f(char*)", NAME_FIT_PART },
		{ "wice", "space::twice", NAME_FIT_NONE },
		{ "y", "a::b(int, x::y)", NAME_FIT_NONE },
		/* arguments of templates may be left out */
		{ "swap", "app::swap<int, 3>", NAME_FIT_PART },
		{ "app::swap", "app::swap<box<int> >", NAME_FIT_PART },
		{ "swap", "app::swap::<u32>", NAME_FIT_PART },
		{ "swap<int, 3>", "app::swap<int, 3>", NAME_FIT_PART },
		{ "swap<int>", "app::swap<long>", NAME_FIT_NONE },
		{ "operator", "app::operator<=>", NAME_FIT_NONE },
		{ "app", "app::<u32>", NAME_FIT_PART },
		{ "x", "<>", NAME_FIT_NONE },
		{ "", "<u32>", NAME_FIT_NONE },
		/* parameters that the profile does not have are no obstacle */
		{ "app::f(int, char*)", "app::f", NAME_FIT_PART },
		{ "f(int)", "(anonymous namespace)::f", NAME_FIT_PART },
		{ "main::{lambda(int)#1}::operator()", "main::{lambda(long)#1}::operator()",
		  NAME_FIT_NONE },
		{ "(int)", "app::f", NAME_FIT_NONE },
		/* an empty name fits nothing */
		{ "", "compute", NAME_FIT_NONE },
		{ "", "space::", NAME_FIT_NONE },
		{ "compute", "", NAME_FIT_NONE },
		{ "compute", "::", NAME_FIT_NONE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (name_fit(rows[i].text, rows[i].name) != rows[i].fit)
			fail_msg("'%s' and '%s'", rows[i].text, rows[i].name);
}
