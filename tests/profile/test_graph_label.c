/* A name that is cut for lack of room keeps its distinguishing part. */
#include "runtime/output/graph/graph_picture.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static void label(const char *name, size_t cells, const char *expected)
{
	graph_picture_label(written_begin(), name, strlen(name), cells);
	written_is(expected);
}

TEST(arguments_of_templates_go_first_then_those_of_calls)
{
	const char *name = "std::map<int, std::vector<int> >::find(int const&, int)";

	label(name, 55, "std::map&lt;int, std::vector&lt;int&gt; &gt;::find(int const&amp;, int)");
	label(name, 54, "std::map&lt;…&gt;::find(int const&amp;, int)");
	label(name, 33, "std::map&lt;…&gt;::find(…)");
	label(name, 18, "std::map&lt;…&gt;::fin..");
	label(name, 2, "");
}

TEST(an_operator_s_brackets_are_no_pair)
{
	label("operator<< <char>(std::ostream&, char const*)", 30, "operator&lt;&lt; &lt;…&gt;(…)");
	label("A<int, int>::operator->() const noexcept", 35,
	      "A&lt;…&gt;::operator-&gt;() const noexcept");
	label("A<int, int>::operator()(int, int, int)", 25, "A&lt;…&gt;::operator()(…)");
	label("A<int>::operator<=>(A<int> const&) const", 30,
	      "A&lt;…&gt;::operator&lt;=&gt;(…) const");
	label("f(int)->decltype(g<int>())", 20, "f(…)-&gt;decltype(…)");
}

TEST(brackets_without_a_partner_stay)
{
	label("one < two_and_three_and_four", 20, "one &lt; two_and_thre..");
	label("one > two<three> and four", 20, "one &gt; two&lt;three&gt; a..");
	label("one > two < and_three_and_four", 20, "one &gt; two &lt; and_th..");
	label("(((", 2, "");
}

TEST(code_without_a_name_keeps_its_address)
{
	label("libsqlite3.so.0@0x1a2b0", 23, "libsqlite3.so.0@0x1a2b0");
	label("libsqlite3.so.0@0x1a2b0", 14, "libsq…@0x1a2b0");
	label("libsqlite3.so.0@0x1a2b0", 10, "l…@0x1a2b0");
	label("libsqlite3.so.0@0x1a2b0", 9, "libsqli..");
}

TEST(long_names_are_cut)
{
	char name[5000];

	memset(name, 'x', sizeof(name));
	memcpy(name, "<>", 2);
	name[sizeof(name) - 1] = '\0';
	label(name, 6, "&lt;&gt;xx..");
	memset(name, '<', sizeof(name) / 2);
	memset(name + sizeof(name) / 2, '>', sizeof(name) / 2);
	name[sizeof(name) / 2 * 2 - 1] = '\0';
	label(name, 6, "&lt;&lt;&lt;&lt;..");
}
