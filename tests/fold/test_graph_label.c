/* A name that is cut for lack of room keeps its distinguishing part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/fold/graph/graph_label.h"

static void label(const char *name, size_t cells, const char *expected)
{
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	assert_non_null(file);
	graph_label_write(file, name, strlen(name), cells);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

static void arguments_of_templates_go_first_then_those_of_calls(void **state)
{
	const char *name = "std::map<int, std::vector<int> >::find(int const&, int)";

	(void)state;
	label(name, 55, "std::map&lt;int, std::vector&lt;int&gt; &gt;::find(int const&amp;, int)");
	label(name, 54, "std::map&lt;…&gt;::find(int const&amp;, int)");
	label(name, 33, "std::map&lt;…&gt;::find(…)");
	label(name, 18, "std::map&lt;…&gt;::fin..");
	label(name, 2, "");
}

static void an_operator_s_brackets_are_no_pair(void **state)
{
	(void)state;
	label("operator<< <char>(std::ostream&, char const*)", 30, "operator&lt;&lt; &lt;…&gt;(…)");
	label("A<int, int>::operator->() const noexcept", 35,
	      "A&lt;…&gt;::operator-&gt;() const noexcept");
	label("A<int, int>::operator()(int, int, int)", 25, "A&lt;…&gt;::operator()(…)");
	label("A<int>::operator<=>(A<int> const&) const", 30,
	      "A&lt;…&gt;::operator&lt;=&gt;(…) const");
	label("f(int)->decltype(g<int>())", 20, "f(…)-&gt;decltype(…)");
}

static void brackets_without_a_partner_stay(void **state)
{
	(void)state;
	label("one < two_and_three_and_four", 20, "one &lt; two_and_thre..");
	label("one > two<three> and four", 20, "one &gt; two&lt;three&gt; a..");
	label("one > two < and_three_and_four", 20, "one &gt; two &lt; and_th..");
	label("(((", 2, "");
}

static void code_without_a_name_keeps_its_address(void **state)
{
	(void)state;
	label("libsqlite3.so.0@0x1a2b0", 23, "libsqlite3.so.0@0x1a2b0");
	label("libsqlite3.so.0@0x1a2b0", 14, "libsq…@0x1a2b0");
	label("libsqlite3.so.0@0x1a2b0", 10, "l…@0x1a2b0");
	label("libsqlite3.so.0@0x1a2b0", 9, "libsqli..");
}

static void long_names_are_cut(void **state)
{
	char name[5000];

	(void)state;
	memset(name, 'x', sizeof(name));
	memcpy(name, "<>", 2);
	name[sizeof(name) - 1] = '\0';
	label(name, 6, "&lt;&gt;xx..");
	memset(name, '<', sizeof(name) / 2);
	memset(name + sizeof(name) / 2, '>', sizeof(name) / 2);
	name[sizeof(name) / 2 * 2 - 1] = '\0';
	label(name, 6, "&lt;&lt;&lt;&lt;..");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_of_templates_go_first_then_those_of_calls),
		cmocka_unit_test(an_operator_s_brackets_are_no_pair),
		cmocka_unit_test(brackets_without_a_partner_stay),
		cmocka_unit_test(code_without_a_name_keeps_its_address),
		cmocka_unit_test(long_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
