/* Names of the same function in two builds have one form, others keep theirs. */
#include "runtime/compare/match/match.h"
#include "tests/support/unit.h"

static enum name_form assert_form(const char *name, const char *expected)
{
	enum name_form kind;
	char form[128];

	kind = name_form(name, form);
	assert_string_equal(form, expected);
	assert_int_equal(kind == NAME_FORM_SAME, strcmp(name, expected) == 0);
	return kind;
}

TEST(what_differs_between_builds_is_left_out_of_names)
{
	/* versions of libraries are left out */
	assert_form("[libz.so.1.2.13]", "[libz.so]");
	assert_form("[libruby-3.1.so.3.1]", "[libruby.so]");
	assert_form("[libpython3.11.so.1.0]", "[libpython.so]");
	assert_form("[libX11.so.6]", "[libX11.so]");
	assert_form("[libLLVM-14.so]", "[libLLVM.so]");
	assert_form("[app]", "[app]");
	assert_form("[app-1.2]", "[app-1.2]");
	assert_form("[libx.sorted]", "[libx.sorted]");
	assert_form("[libc-2.31.so]", "[libc.so]");
	assert_form("[libgfortran-040039e1.so.5.0.0]", "[libgfortran.so]");
	assert_form("[libpng-document.so]", "[libpng-document.so]");
	assert_form("[_ssl.cpython-311-x86_64-linux-gnu.so]",
		    "[_ssl.cpython--x86_64-linux-gnu.so]");
	assert_int_equal(assert_form("[libz.so.1]", "[libz.so]"), NAME_FORM_VERSION);
	/* addresses of unknown code are left out */
	assert_form("libz.so.1@0x12ab", "[libz.so]");
	assert_form("app@0x12ab", "[app]");
	assert_form("0x7f12ab", "[unknown]");
	assert_form("0x7f12ab_[k]", "[unknown]_[k]");
	assert_form("0x", "0x");
	assert_form("user@0xyz", "user@0xyz");
	assert_form("f@plt", "f@plt");
	assert_form("[data libz.so.1+0x40]", "[data libz.so]");
	assert_form("[data 0x7f1240]", "[data]");
	assert_form("LambdaForm$DMH/0x00007f4c04080c00.invoke_[j]", "LambdaForm$DMH.invoke_[j]");
	assert_form("/srv/0x1.js", "/srv/0x1.js");
	assert_int_equal(assert_form("a@0x1", "[a]"), NAME_FORM_ADDRESS);
	assert_int_equal(assert_form("[data a+0x1]", "[data a]"), NAME_FORM_ADDRESS);
	/* copies are the function */
	assert_form("poll_schedule_timeout.constprop.0_[k]", "poll_schedule_timeout_[k]");
	assert_form("f.isra.0.part.3", "f");
	assert_form("f.cold", "f");
	assert_form("f.warm", "f");
	assert_form("f.localalias", "f");
	assert_form("f.part.0.cold.12", "f");
	assert_form("f.llvm.123456789", "f");
	assert_form("f(int) [clone .constprop.0]", "f(int)");
	assert_form("f(int) [clone .part.1] [clone .cold]", "f(int)");
	assert_form("f(int)::h0123456789abcdef", "f(int)");
	assert_form("module.function", "module.function");
	assert_form("module.cold_start", "module.cold_start");
	assert_form("sleep.0", "sleep.0");
	assert_form(".cold", ".cold");
	assert_form("a[b]", "a[b]");
	assert_form("f_[i]", "f");
	assert_form("f.isra.0_[i]", "f");
	assert_form("bpf_prog_6deef7357e7b4530_egress_[k]", "bpf_prog_egress_[k]");
	assert_form("bpf_prog_egress_[k]", "bpf_prog_egress_[k]");
	assert_int_equal(assert_form("f.isra.0", "f"), NAME_FORM_COPY);
}

TEST(what_names_have_in_common_stays)
{
	/* functions that are named like copies keep their names */
	assert_form("Sheep.clone", "Sheep.clone");
	assert_form("store.part", "store.part");
	assert_form("store.part.0_[p]", "store.part.0_[p]");
	assert_form("water.cold_[j]", "water.cold_[j]");
	assert_form("f1", "f1");
	assert_form("f.2", "f.2");
	assert_form("copy_v2", "copy_v2");
	assert_form("sum::hash", "sum::hash");
	/* marks of v8 are left out */
	assert_form("LazyCompile:*f app.js:3_[j]", "LazyCompile:f app.js:3_[j]");
	assert_form("JS:~f app.js:3", "JS:f app.js:3");
	assert_form("JS:", "JS:");
	/* special names stay */
	assert_form("[truncated]", "[truncated]");
	assert_form("[gc]_[p]", "[gc]_[p]");
	assert_form("[preempted]", "[preempted]");
	assert_form("", "");
	assert_form("[]", "[]");
}

TEST(the_place_of_an_address_is_its_module)
{
	static const char *const names[][2] = { { "libz.so.1@0x12ab", "[libz.so.1]" },
						{ "[libz.so.1]", "[libz.so.1]" },
						{ "[data libz.so.1+0x40]", "[data libz.so.1]" },
						{ "0x7f12ab_[k]", "[unknown]_[k]" },
						{ "f.part.0", "f.part.0" } };
	char place[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		name_form_place(names[i][0], place);
		assert_string_equal(place, names[i][1]);
	}
}

TEST(modules_have_no_versions)
{
	char form[64];

	assert_int_equal(name_form_module("libz.so.1.2", form), NAME_FORM_VERSION);
	assert_string_equal(form, "libz.so");
	assert_int_equal(name_form_module("app", form), NAME_FORM_SAME);
	assert_string_equal(form, "app");
}

static void assert_outer(const char *name, const char *expected, enum name_form kind)
{
	char form[128];

	assert_int_equal(name_form_outer(name, form), kind);
	assert_string_equal(form, expected);
}

TEST(commands_and_threads_have_no_numbers_and_no_versions)
{
	assert_outer("worker-1234", "worker", NAME_FORM_NUMBER);
	assert_outer("pool/12", "pool", NAME_FORM_NUMBER);
	assert_outer("pool/[3 ended]", "pool", NAME_FORM_NUMBER);
	assert_outer("app-4711/4712", "app", NAME_FORM_NUMBER);
	assert_outer("pool-1-thread-2", "pool-1-thread", NAME_FORM_NUMBER);
	assert_outer("app", "app", NAME_FORM_SAME);
	assert_outer("app/[x ended]", "app/[x ended]", NAME_FORM_SAME);
	assert_outer("1234", "1234", NAME_FORM_SAME);
	assert_outer("-1", "-1", NAME_FORM_SAME);
	assert_outer("", "", NAME_FORM_SAME);
	assert_outer("python3.11", "python", NAME_FORM_VERSION);
	assert_outer("app-1.2", "app", NAME_FORM_VERSION);
	assert_outer("stage1", "stage1", NAME_FORM_SAME);
}
