/* The flame graph's file: widths add up, names stay names and keep their distinguishing part where
 * they are cut, and frames below [off-CPU], and no others, are distinguished by name. */
#include "runtime/output/graph/graph.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_layout.h"
#include "runtime/output/graph/graph_picture.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static void draw(const char *folded, struct graph_options options, int expected)
{
	struct frame_tree *tree = folded_text_tree(folded);

	assert_int_equal(graph_write(tree, &options, written_begin()), expected);
	written_end();
	frame_tree_free(tree);
}

/* Sums, by level and by parent, what the walk visits. */
struct sums {
	uint64_t by_level[8];
	uint64_t right_of[8]; /* where the last frame of the level ended */
	unsigned frames;
};

static int add_up(const struct graph_place *place, void *context)
{
	struct sums *sums = context;

	assert_true(place->level < 8);
	assert_true(place->left >= sums->right_of[place->level]);
	if (place->level)
		assert_true(place->left + place->frame->total <= sums->right_of[place->level - 1]);
	sums->right_of[place->level] = place->left + place->frame->total;
	sums->by_level[place->level] += place->frame->total;
	sums->frames++;
	return 0;
}

TEST(frames_lie_side_by_side_inside_their_parents)
{
	struct frame_tree *tree = folded_text_tree("a;b;c 3\na;b;d 4\na;e 5\nf 6\na 7\n");
	struct sums sums = { .frames = 0 };

	assert_int_equal(graph_layout_walk(tree, NULL, NULL, 1, add_up, &sums), 0);
	assert_int_equal(sums.frames, 7);
	assert_int_equal(sums.by_level[0], 25);
	assert_int_equal(sums.by_level[1], 25);
	assert_int_equal(sums.by_level[2], 12);
	assert_int_equal(sums.by_level[3], 7);
	frame_tree_free(tree);
}

static int find_d(const struct graph_place *place, void *context)
{
	if (strcmp(place->name, "d") == 0)
		*(uint64_t *)context = place->left;
	return 0;
}

TEST(what_is_left_out_still_takes_its_place)
{
	struct frame_tree *tree = folded_text_tree("a;b 1\na;c 2\na;d 10\n");
	struct sums sums = { .frames = 0 };
	uint64_t left = 0;

	assert_int_equal(graph_layout_walk(tree, NULL, NULL, 5, add_up, &sums), 0);
	assert_int_equal(sums.frames, 3);
	assert_int_equal(graph_layout_walk(tree, NULL, NULL, 5, find_d, &left), 0);
	assert_int_equal(left, 3);
	frame_tree_free(tree);
}

static int stop_at_once(const struct graph_place *place, void *context)
{
	(void)place;
	++*(int *)context;
	return -EIO;
}

TEST(a_visit_can_end_the_walk)
{
	struct frame_tree *tree = folded_text_tree("a;b 1\n");
	int visits = 0;

	assert_int_equal(graph_layout_walk(tree, NULL, NULL, 1, stop_at_once, &visits), -EIO);
	assert_int_equal(visits, 1);
	frame_tree_free(tree);
}

static int collect_before(const struct graph_place *place, void *context)
{
	uint64_t *before = context;

	before[place->level ? place->name[0] - 'a' + 1 : 0] = place->other;
	return 0;
}

TEST(the_other_profile_is_matched_by_path)
{
	struct frame_tree *before = folded_text_tree("a;c 1\nb;c 2\nb;d 4\nz 9\n");
	struct frame_tree *after = folded_text_tree("b;c 7\nb;e 7\nc;d 1\n");
	uint64_t seen[27] = { 0 };

	assert_int_equal(graph_layout_walk(after, before, NULL, 1, collect_before, seen), 0);
	assert_int_equal(seen[0], 16);
	assert_int_equal(seen['b' - 'a' + 1], 6);
	assert_int_equal(seen['e' - 'a' + 1], 0);
	assert_int_equal(seen['d' - 'a' + 1], 0); /* c;d is not b;d */
	frame_tree_free(before);
	frame_tree_free(after);
}

TEST(a_name_has_one_colour_everywhere)
{
	char one[GRAPH_COLOR_CLASS_BYTES];
	char two[GRAPH_COLOR_CLASS_BYTES];

	graph_color_class(FRAME_KIND_USER, "main", 4, one);
	graph_color_class(FRAME_KIND_USER, "main(int)", 4, two);
	assert_string_equal(one, two);
	graph_color_class(FRAME_KIND_KERNEL, "main", 4, two);
	assert_string_not_equal(one, two);
}

TEST(changes_are_red_grey_or_blue)
{
	static const struct {
		double change;
		const char *class;
	} rows[] = { { .5, "r8" }, { -.5, "b8" }, { 0, "w0" }, { -1e-9, "b1" }, { .125, "r4" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char class[GRAPH_COLOR_CLASS_BYTES];

		graph_color_change_class(rows[i].change, .5, class);
		assert_string_equal(class, rows[i].class);
	}
}

TEST(the_picture_tells_counts_and_kinds)
{
	draw("app;main;poll_[k] 1234567\napp;main 765433\n",
	     (struct graph_options){ .title = "A <title>", .notes = "n & m", .unit = "ns" }, 0);
	wrote("<title>poll (1.23 ms, 61.73%), kernel</title>");
	wrote("<title>all (2 ms, 100.00%)</title>");
	wrote("<title>A &lt;title&gt;</title>");
	wrote("n &amp; m");
	wrote("\"poll_[k]\"");
}

TEST(a_script_tag_stays_a_name)
{
	draw("a;<script>alert(1)</script> 1\na;]]></metadata> 1\n",
	     (struct graph_options){ .title = "</script><script>alert(1)</script>" }, 0);
	wrote_not("<script>alert");
	wrote_not("]]></metadata>");
	wrote("&lt;script&gt;alert(1)&lt;/script&gt;");
}

TEST(frames_below_the_minimum_width_are_left_out)
{
	draw("a;wide 95\na;slim 5\n", (struct graph_options){ .min_width_percent = 10 }, 0);
	wrote("\"wide\"");
	wrote_not("slim");
	draw("a;wide 95\na;slim 5\n", (struct graph_options){ 0 }, 0);
	wrote("\"slim\"");
}

TEST(small_large_and_missing_frames_are_drawn)
{
	/* the data holds frames too narrow for the picture */
	draw("a;wide 1000000\na;slim 20\n", (struct graph_options){ 0 }, 0);
	wrote("\"slim\"");
	wrote_not("<title>slim");
	/* an empty profile is a picture that says so */
	draw("# nothing\n", (struct graph_options){ .title = "t" }, -ENODATA);
	wrote("There is nothing to draw: the profile holds no samples.");
	wrote("</svg>");
	/* the largest counts do not overflow */
	draw("a;b 18446744073709551614\na;c 1\n", (struct graph_options){ 0 }, 0);
	wrote("<title>b (18,446,744,073,709,551,614 samples, 100.00%)</title>");
}

TEST(inverted_puts_the_outermost_on_top)
{
	draw("a;b;c 1\n", (struct graph_options){ .inverted = true }, 0);
	wrote("<title>all (1 sample, 100.00%)</title><rect class=\"u");
	holds(strstr(written.text, "<title>all ("), "y=\"42.00\"");
	draw("a;b;c 1\n", (struct graph_options){ 0 }, 0);
	holds(strstr(written.text, "<title>c ("), "y=\"42.00\"");
}

TEST(the_same_profile_gives_the_same_file)
{
	const struct graph_options options = { .title = "t" };
	char *first;

	draw("a;b;c 1\na;d 2\nz;b 4\n", options, 0);
	first = strdup(written.text);
	draw("z;b 4\na;d 2\na;b;c 1\n", options, 0);
	assert_string_equal(written.text, first);
	free(first);
}

TEST(a_full_device_is_reported)
{
	struct frame_tree *tree = folded_text_tree("a;b 1\n");
	const struct graph_options options = { .title = NULL };

	assert_int_equal(graph_write(tree, &options, written_full()), -EIO);
	frame_tree_free(tree);
}

static void add(struct frame_tree *tree, const char *const *frames, size_t depth, uint64_t value)
{
	assert_int_equal(frame_tree_add(tree, frames, depth, value), 0);
}

TEST(code_that_waits_is_told_by_a_suffix)
{
	static const char *const off[] = { "app",	"[off-CPU]", "main",
					   "mod.f_[p]", "read_[k]",  "[preempted]" };
	static const char *const on[] = { "app", "[on-CPU]", "main", "mod.f_[p]" };
	static const char *const expected[] = { "app",	     "[off-CPU]", "main_[o]",
						"mod.f_[o]", "read_[k]",  "[preempted]",
						"[on-CPU]",  "main",	  "mod.f_[p]" };
	struct frame_tree *tree = frame_tree_new();
	struct frame *frame;
	struct frame_tree *apart;
	size_t seen = 0;

	add(tree, off, 6, 30);
	add(tree, off, 3, 5);
	add(tree, on, 4, 7);
	frame_tree_sort(tree);
	assert_int_equal(graph_apart(tree, &apart), 0);
	assert_non_null(apart);
	assert_int_equal(frame_tree_root(apart)->total, 42);
	for (frame = frame_tree_next(frame_tree_root(apart)); frame; frame = frame_tree_next(frame))
		assert_string_equal(frame->name, expected[seen++]);
	assert_int_equal(seen, 9);
	frame_tree_free(apart);
	frame_tree_free(tree);
}

TEST(stacks_without_waiting_stay_as_they_are)
{
	static const char *const frames[] = { "app", "main", "off-CPU" };
	struct frame_tree *tree = frame_tree_new();
	struct frame_tree *apart;

	assert_int_equal(graph_apart(tree, &apart), 0);
	assert_null(apart);
	add(tree, frames, 3, 1);
	frame_tree_sort(tree);
	assert_int_equal(graph_apart(tree, &apart), 0);
	assert_null(apart);
	frame_tree_free(tree);
}

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

TEST(what_distinguishes_a_name_stays_when_it_is_cut)
{
	/* an operator s brackets are no pair */
	label("operator<< <char>(std::ostream&, char const*)", 30, "operator&lt;&lt; &lt;…&gt;(…)");
	label("A<int, int>::operator->() const noexcept", 35,
	      "A&lt;…&gt;::operator-&gt;() const noexcept");
	label("A<int, int>::operator()(int, int, int)", 25, "A&lt;…&gt;::operator()(…)");
	label("A<int>::operator<=>(A<int> const&) const", 30,
	      "A&lt;…&gt;::operator&lt;=&gt;(…) const");
	label("f(int)->decltype(g<int>())", 20, "f(…)-&gt;decltype(…)");
	/* brackets without a partner stay */
	label("one < two_and_three_and_four", 20, "one &lt; two_and_thre..");
	label("one > two<three> and four", 20, "one &gt; two&lt;three&gt; a..");
	label("one > two < and_three_and_four", 20, "one &gt; two &lt; and_th..");
	label("(((", 2, "");
	/* code without a name keeps its address */
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
