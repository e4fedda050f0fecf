/* Names are as a programmer wrote them, and contain nothing that breaks a reader of folded
 * lines. */
#include "runtime/profile/symbols/demangle.h"
#include "tests/support/unit.h"

static void assert_demangled(const char *symbol, const char *expected)
{
	char *name = demangle_symbol(symbol);

	if (!expected) {
		assert_null(name);
		return;
	}
	assert_non_null(name);
	assert_string_equal(name, expected);
	free(name);
}

static void becomes(const char *name, const char *expected, void (*edit)(char *text))
{
	char text[128];

	strcpy(text, name);
	edit(text);
	assert_string_equal(text, expected);
}

static void clean(char *text)
{
	size_t length = demangle_clean(text);

	assert_int_equal(length, strlen(text));
}

TEST(symbols_become_what_a_programmer_wrote)
{
	/* cxx names lose parameters only */
	assert_demangled("_ZN3foo3barEid", "foo::bar");
	assert_demangled("_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f");
	assert_demangled("_ZNK3foocviEv", "foo::operator int");
	assert_demangled("_ZN3fooclEi", "foo::operator()");
	assert_demangled("_ZSt4sortIPiEvT_S1_", "std::sort<int*>");
	assert_demangled("_ZN1AC1Ev", "A::A");
	/* rust names are known in both manglings */
	assert_demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
			 "core::fmt::Write::write_fmt");
	assert_demangled("_RNvC7mycrate3foo", "mycrate::foo");
	/* d names are known */
	assert_demangled("_Dmain", "D main");
	assert_demangled("_D3std5stdio7writelnFZv", "std.stdio.writeln");
	assert_demangled("_D8demangle1S3fooMFiZv", "demangle.S.foo");
	assert_demangled("_D8demangle9__T4testZv", "demangle.test!()");
	/* procedures of fortran modules are known */
	assert_demangled("__grid_MOD_relax", "grid::relax");
	assert_demangled("__my_grid2_MOD_relax_all", "my_grid2::relax_all");
	assert_demangled("__MOD_relax", NULL);
	assert_demangled("__grid_MOD_", NULL);
	assert_demangled("__Grid_MOD_relax", NULL);
	/* c names stay */
	assert_demangled("main", NULL);
	assert_demangled("f", NULL);
	assert_demangled("_start", NULL);
	assert_demangled("__libc_start_main", NULL);
	assert_demangled("", NULL);
	assert_demangled("_", NULL);
	assert_demangled("_Z", NULL);
	assert_demangled("_ZN", NULL);
}

/* b<X, X> with X the b before it: each level doubles the name. */
TEST(a_name_that_explodes_is_left_mangled)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char symbol[512] = "_Z1fI1bIiiE";
	size_t length = strlen(symbol);

	for (unsigned level = 1; level < 36; level++) {
		char c = digits[level];

		length += (size_t)snprintf(symbol + length, sizeof(symbol) - length,
					   "S0_IS%c_S%c_E", c, c);
		if (level == 2) {
			char small[1024];

			snprintf(small, sizeof(small), "%sEvT_", symbol);
			assert_demangled(small, "f<b<int, int>, b<b<int, int>, b<int, int> >, "
						"b<b<b<int, int>, b<int, int> >, "
						"b<b<int, int>, b<int, int> > > >");
		}
	}
	strcpy(symbol + length, "EvT_");
	assert_demangled(symbol, NULL);
}

/* _D1a with a struct S of template arguments: each level names the one before it twice. */
static void d_levels(unsigned levels, char *symbol, size_t bytes)
{
	size_t length = (size_t)snprintf(symbol, bytes, "_D1a1fFS1b"), before = length - 3;

	for (unsigned level = 0; level < levels; level++) {
		size_t next = length;

		length += (size_t)snprintf(symbol + length, bytes - length, "HQ%c%cQ%c%c",
					   (char)('A' + (next + 1 - before) / 26),
					   (char)('a' + (next + 1 - before) % 26),
					   (char)('A' + (next + 4 - before) / 26),
					   (char)('a' + (next + 4 - before) % 26));
		before = next;
	}
	snprintf(symbol + length, bytes - length, "Zv");
}

TEST(a_name_of_d_that_explodes_is_left_mangled)
{
	char symbol[1024];
	char *name;

	d_levels(2, symbol, sizeof(symbol));
	name = demangle_symbol(symbol);
	assert_non_null(name);
	free(name);
	d_levels(60, symbol, sizeof(symbol));
	assert_demangled(symbol, NULL);
}

/* Each argument names the one before it: far more steps at the most than it takes. */
TEST(a_name_of_d_with_many_references_is_kept)
{
	char symbol[1024] = "_D1a1fFS1b1c";
	size_t length = strlen(symbol);

	for (unsigned i = 0; i < 40; i++)
		length += (size_t)snprintf(symbol + length, sizeof(symbol) - length, "Q%c",
					   i ? 'c' : 'f');
	strcpy(symbol + length, "Zv");
	assert_demangled(symbol, "a.f");
}

TEST(a_long_name_is_demangled_up_to_a_limit)
{
	static char symbol[16000], expected[16000];
	size_t length = (size_t)sprintf(symbol, "_ZN"), used = 0;

	for (unsigned i = 0; i < 400; i++) {
		length += (size_t)sprintf(symbol + length, "4name");
		used += (size_t)sprintf(expected + used, i ? "::name" : "name");
	}
	strcpy(symbol + length, "Ev");
	assert_demangled(symbol, expected);
	memset(symbol, 'P', sizeof(symbol) - 1); /* as deep as it is long */
	memcpy(symbol, "_Z1f", 4);
	free(demangle_symbol(symbol)); /* whatever it is, this process goes on */
}

TEST(names_are_clean_and_end_in_no_bare_number)
{
	becomes("plain", "plain", clean);
	becomes("a;b;c", "a:b:c", clean);
	becomes("a\nb\tc\x7f", "a?b?c?", clean);
	becomes("  a  ", "a", clean);
	becomes("", "", clean);
	becomes("   ", "_", clean);
	becomes("\xff\xfe", "\xff\xfe", clean);
	becomes("loop 12", "loop_12", clean);
	becomes("loop 1.5", "loop_1.5", clean);
	becomes("a 1 2", "a 1_2", clean);
	becomes("12", "12", clean);
	becomes("loop12", "loop12", clean);
	becomes("loop 12x", "loop 12x", clean);
	becomes("loop 12 ", "loop_12", clean);
}

TEST(what_only_the_linker_needs_goes)
{
	becomes("memcpy@@GLIBC_2.14", "memcpy", demangle_plain);
	becomes("memcpy@GLIBC_2.2.5", "memcpy", demangle_plain);
	becomes("f.lto_priv.0", "f", demangle_plain);
	becomes("f.lto_priv.12.lto_priv.0", "f", demangle_plain);
	becomes("f.lto_priv.0.cold", "f", demangle_plain);
	becomes("f.cold", "f", demangle_plain);
	becomes("f.cold.12", "f", demangle_plain);
	becomes("f.isra.0.cold", "f.isra.0", demangle_plain);
	becomes("f.colder", "f.colder", demangle_plain);
	becomes("f.cold.x", "f.cold.x", demangle_plain);
	becomes(".cold", ".cold", demangle_plain);
	becomes("f.llvm.1234567", "f", demangle_plain);
	becomes("f.isra.0", "f.isra.0", demangle_plain);
	becomes("f.lto_priv.", "f.lto_priv.", demangle_plain);
	becomes("@weird", "@weird", demangle_plain);
	becomes("", "", demangle_plain);
}

TEST(endings_of_copies_go_and_no_others)
{
	becomes("f", "f", demangle_tidy);
	becomes("f.isra.0", "f", demangle_tidy);
	becomes("f.part.12", "f", demangle_tidy);
	becomes("f.constprop.0.isra.3", "f", demangle_tidy);
	becomes("f.localalias", "f", demangle_tidy);
	becomes("_ZN1a1bEi.isra.0", "_ZN1a1bEi", demangle_tidy);
	becomes("f.0", "f.0", demangle_tidy);
	becomes("f.party", "f.party", demangle_tidy);
	becomes("f.part.x", "f.part.x", demangle_tidy);
	becomes("f.part.1.x", "f.part.1.x", demangle_tidy);
	becomes("f.isra.", "f.isra.", demangle_tidy);
	becomes(".isra.0", ".isra.0", demangle_tidy);
	becomes("12", "12", demangle_tidy);
	becomes("", "", demangle_tidy);
}

/* Whatever the bytes, the result is no longer and holds no separator. */
TEST(cleaning_holds_for_any_bytes)
{
	char text[33];

	srandom(2);
	for (unsigned round = 0; round < 20000; round++) {
		size_t length = (size_t)random() % 32;
		size_t cleaned;

		for (size_t i = 0; i < length; i++)
			text[i] = " ;\n19.ab"[random() % 8];
		text[length] = '\0';
		cleaned = demangle_clean(text);
		assert_int_equal(cleaned, strlen(text));
		assert_true(cleaned <= length && !cleaned == !length);
		assert_null(strpbrk(text, ";\n"));
		if (cleaned && strrchr(text, ' '))
			assert_true(strspn(strrchr(text, ' ') + 1, "0123456789.") <
				    strlen(strrchr(text, ' ') + 1));
	}
}
