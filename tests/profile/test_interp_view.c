/* A view leaves out the interpreter's own frames, and only those; every sample stays. */
#include <limits.h>

#include "runtime/profile/analysis/interp_view.h"
#include "runtime/profile/languages/languages.h"
#include "tests/support/spool_fixture.h"
#include "tests/support/unit.h"

/* Functions of an interpreter that is this program itself, whose file gives their names. */
#define INTERPRETER(name)                               \
	void name(void);                                \
	__attribute__((noinline, used)) void name(void) \
	{                                               \
		__asm__ volatile("");                   \
	}

INTERPRETER(Py_RunMain)
INTERPRETER(Py_FinalizeEx)
INTERPRETER(_PyEval_EvalFrameDefault)
INTERPRETER(_PyObject_MakeTpCall)
INTERPRETER(PyObject_RichCompare)
INTERPRETER(PyImport_ImportModuleLevelObject)
INTERPRETER(builtin_sorted)
INTERPRETER(builtin_exec)
INTERPRETER(marshal_loads)
INTERPRETER(gc_collect_main)
INTERPRETER(subtract_refs)

/* A function that has no symbol, but an unwind entry. */
__asm__(".pushsection .text\n"
	".Lnameless: .cfi_startproc\n"
	"nop\n"
	"ret\n"
	".cfi_endproc\n"
	".popsection\n"
	".pushsection .data.rel.ro, \"aw\"\n"
	".balign 8\n"
	"nameless_loop: .quad .Lnameless\n"
	".popsection\n");
extern const uint64_t nameless_loop;

#define PC(function) ((uint64_t)(uintptr_t)(function))
#define NO_NAME	     0x200000 /* in an interpreter whose file cannot be read */
#define LIBC	     0x300000
#define BOOTSTRAP    "<frozen importlib._bootstrap>"

extern char __executable_start, etext; /* NOLINT(bugprone-reserved-identifier): the linker's */

int unit_setup(void **state)
{
	struct spool_fixture *f = spool_fixture_new(state, 1, 8 << 20);
	char self[PATH_MAX] = "";

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(spool_builder_header(&f->builder)->command, 16, "app");
	spool_builder_module(&f->builder, NO_NAME, LIBC, 0, "/nonexistent/python3");
	spool_builder_module(&f->builder, LIBC, 0x400000, 0, "/nonexistent/libc.so");
	spool_builder_module(&f->builder, PC(&__executable_start), PC(&etext),
			     PC(&__executable_start), self);
	f->thread = spool_builder_thread(&f->builder, 7, "app");
	return 0;
}

static uint64_t python(struct spool_fixture *f, const char *name, const char *file)
{
	uint32_t number;

	spool_builder_code(&f->builder, name, file, &number);
	return spool_code_pc(number, 1);
}

/* Add samples of a stack, outermost frame first, up to a 0. */
static void add_stack(struct spool_fixture *f, uint64_t samples, const uint64_t *pcs)
{
	uint32_t node = 0;

	for (; *pcs; pcs++)
		node = spool_builder_node(&f->builder, &f->thread, *pcs, node);
	spool_builder_weigh(&f->builder, node, 0, samples, samples);
}

#define ADD(samples, ...) add_stack(f, samples, (const uint64_t[]){ __VA_ARGS__, 0 })

/* `interp`: 0 is what the spool says. */
static void shows_as(struct spool_fixture *f, unsigned interp, const char *expected)
{
	const struct profile_options options = { .interp = interp };

	profile_free(f->profile);
	f->profile = NULL;
	assert_int_equal(spool_fixture_add(f, &options), 0);
	spool_fixture_folds(f, 0, SETTINGS_WEIGHT_SAMPLES, expected);
}

static void merges_into(struct spool_fixture *f, const char *expected)
{
	shows_as(f, 1 + SETTINGS_INTERP_MERGE, expected);
}

TEST_OF(struct spool_fixture *f, calls_between_functions_are_left_out)
{
	uint64_t outer = python(f, "outer", "/srv/app.py"),
		 inner = python(f, "inner", "/srv/app.py");

	ADD(3, LIBC, PC(Py_RunMain), PC(_PyEval_EvalFrameDefault), outer, PC(builtin_sorted),
	    PC(PyObject_RichCompare), PC(_PyObject_MakeTpCall), PC(_PyEval_EvalFrameDefault),
	    inner);
	merges_into(f, "app;[libc.so];app.outer_[p];builtin_sorted;app.inner_[p] 3\n");
	shows_as(f, 1 + SETTINGS_INTERP_ONLY, "app;app.outer_[p];app.inner_[p] 3\n");
	shows_as(f, 1 + SETTINGS_INTERP_NO,
		 "app;[libc.so];Py_RunMain;_PyEval_EvalFrameDefault;builtin_sorted;"
		 "PyObject_RichCompare;_PyObject_MakeTpCall;_PyEval_EvalFrameDefault 3\n");
}

TEST_OF(struct spool_fixture *f, what_runs_inside_a_function_stays_unless_it_runs_the_function)
{
	uint64_t code = python(f, "f", "/srv/app.py");

	ADD(1, PC(_PyEval_EvalFrameDefault), code);
	ADD(2, PC(_PyEval_EvalFrameDefault), code, PC(_PyEval_EvalFrameDefault));
	ADD(4, PC(_PyEval_EvalFrameDefault), code, PC(_PyObject_MakeTpCall), PC(builtin_sorted),
	    PC(PyObject_RichCompare));
	ADD(8, PC(_PyEval_EvalFrameDefault), code, PC(_PyObject_MakeTpCall), LIBC);
	merges_into(f, "app;app.f_[p] 3\n"
		       "app;app.f_[p];[libc.so] 8\n"
		       "app;app.f_[p];builtin_sorted;PyObject_RichCompare 4\n");
	shows_as(f, 1 + SETTINGS_INTERP_ONLY, "app;app.f_[p] 15\n");
}

TEST_OF(struct spool_fixture *f, a_stack_without_a_function_is_shown_as_it_is)
{
	uint64_t code = python(f, "f", "/srv/app.py");

	ADD(1, LIBC, PC(Py_RunMain), PC(_PyEval_EvalFrameDefault), code);
	ADD(2, LIBC, PC(Py_RunMain), PC(_PyEval_EvalFrameDefault));
	ADD(4, LIBC, PC(Py_RunMain), PC(Py_FinalizeEx));
	ADD(8, LIBC);
	merges_into(f, "app;[libc.so] 8\n"
		       "app;[libc.so];Py_RunMain;Py_FinalizeEx 4\n"
		       "app;[libc.so];Py_RunMain;_PyEval_EvalFrameDefault 2\n"
		       "app;[libc.so];app.f_[p] 1\n");
	shows_as(f, 1 + SETTINGS_INTERP_ONLY,
		 "app;[libc.so] 8\n"
		 "app;[libc.so];Py_RunMain;Py_FinalizeEx 4\n"
		 "app;[libc.so];Py_RunMain;_PyEval_EvalFrameDefault 2\n"
		 "app;app.f_[p] 1\n");
}

TEST_OF(struct spool_fixture *f, frames_without_names_are_left_out_where_they_lead_to_a_function)
{
	uint64_t outer = python(f, "outer", "/srv/app.py"),
		 inner = python(f, "inner", "/srv/app.py");

	ADD(1, LIBC, NO_NAME, NO_NAME + 1, outer, NO_NAME + 2, LIBC, NO_NAME + 3, inner,
	    NO_NAME + 4);
	merges_into(f, "app;[libc.so];app.outer_[p];[libc.so];app.inner_[p];[python3] 1\n");
}

TEST_OF(struct spool_fixture *f,
	a_function_without_a_name_that_runs_functions_is_left_out_elsewhere_too)
{
	uint64_t code = python(f, "f", "/srv/app.py");

	ADD(1, LIBC, nameless_loop, code);
	ADD(2, LIBC, nameless_loop, code, PC(builtin_sorted), nameless_loop);
	merges_into(f, "app;[libc.so];app.f_[p] 1\napp;[libc.so];app.f_[p];builtin_sorted 2\n");
}

TEST_OF(struct spool_fixture *f, the_file_that_was_started_is_the_interpreters_by_its_name)
{
	uint64_t code = python(f, "f", "/srv/app.py");

	spool_builder_module(&f->builder, 0x500000, 0x600000, 0, "/no/python3.11")->flags =
		SPOOL_MODULE_EXECUTABLE;
	spool_builder_module(&f->builder, 0x600000, 0x700000, 0, "/no/postgres")->flags =
		SPOOL_MODULE_EXECUTABLE;
	ADD(1, LIBC, 0x500010, PC(_PyEval_EvalFrameDefault), code);
	ADD(2, LIBC, 0x600010, PC(_PyEval_EvalFrameDefault), code);
	merges_into(f, "app;[libc.so];[postgres];app.f_[p] 2\napp;[libc.so];app.f_[p] 1\n");
}

TEST_OF(struct spool_fixture *f, an_import_is_one_frame)
{
	uint64_t app = python(f, "<module>", "/srv/app.py");
	uint64_t module = python(f, "<module>", "/srv/lib.py");
	uint64_t find = python(f, "_find_and_load", BOOTSTRAP);
	uint64_t load = python(f, "exec_module", "<frozen importlib._bootstrap_external>");

	ADD(1, PC(_PyEval_EvalFrameDefault), app, PC(PyImport_ImportModuleLevelObject),
	    PC(_PyEval_EvalFrameDefault), find, load, PC(builtin_exec),
	    PC(_PyEval_EvalFrameDefault), module);
	ADD(2, PC(_PyEval_EvalFrameDefault), app, PC(PyImport_ImportModuleLevelObject),
	    PC(_PyEval_EvalFrameDefault), find, load, PC(marshal_loads));
	merges_into(f, "app;app.<module>_[p];[import]_[p];lib.<module>_[p] 1\n"
		       "app;app.<module>_[p];[import]_[p];marshal_loads 2\n");
	shows_as(f, 1 + SETTINGS_INTERP_ONLY,
		 "app;app.<module>_[p];[import]_[p] 2\n"
		 "app;app.<module>_[p];[import]_[p];lib.<module>_[p] 1\n");
}

TEST_OF(struct spool_fixture *f, a_garbage_collection_is_one_frame)
{
	uint64_t code = python(f, "f", "/srv/app.py"), end = python(f, "__del__", "/srv/app.py");

	ADD(1, PC(_PyEval_EvalFrameDefault), code, PC(gc_collect_main), SPOOL_PC_COLLECTING,
	    PC(subtract_refs));
	ADD(2, PC(_PyEval_EvalFrameDefault), code, PC(gc_collect_main), SPOOL_PC_COLLECTING,
	    PC(_PyEval_EvalFrameDefault), end);
	merges_into(f, "app;app.f_[p];[gc]_[p] 1\n"
		       "app;app.f_[p];[gc]_[p];app.__del___[p] 2\n");
}

TEST_OF(struct spool_fixture *f, special_frames_stay)
{
	uint64_t code = python(f, "f", "/srv/app.py");

	ADD(1, SPOOL_PC_TRUNCATED, PC(_PyEval_EvalFrameDefault), code, SPOOL_PC_NO_CODE);
	ADD(2, SPOOL_PC_TRUNCATED, PC(_PyEval_EvalFrameDefault), code, LIBC, SPOOL_PC_PREEMPTED);
	merges_into(f, "app;[truncated];app.f_[p];[libc.so];[preempted] 2\n"
		       "app;[truncated];app.f_[p];[no room for its name]_[p] 1\n");
	shows_as(f, 1 + SETTINGS_INTERP_ONLY,
		 "app;[truncated];app.f_[p];[no room for its name]_[p] 1\n"
		 "app;[truncated];app.f_[p];[preempted] 2\n");
	shows_as(f, 1 + SETTINGS_INTERP_NO,
		 "app;[truncated];_PyEval_EvalFrameDefault 1\n"
		 "app;[truncated];_PyEval_EvalFrameDefault;[libc.so];[preempted] 2\n");
}

TEST_OF(struct spool_fixture *f, a_spool_says_what_its_run_asked_for)
{
	ADD(1, PC(_PyEval_EvalFrameDefault), python(f, "f", "/srv/app.py"));
	shows_as(f, 0, "app;app.f_[p] 1\n");
	spool_builder_header(&f->builder)->interp = SETTINGS_INTERP_NO;
	shows_as(f, 0, "app;_PyEval_EvalFrameDefault 1\n");
	spool_builder_header(&f->builder)->interp = 1000;
	shows_as(f, 0, "app;app.f_[p] 1\n");
}

TEST_OF(struct spool_fixture *f, no_sample_is_lost_where_nothing_but_a_function_is_left_out)
{
	ADD(5, python(f, "f", "/srv/app.py"));
	shows_as(f, 1 + SETTINGS_INTERP_NO, "app;app.f_[p] 5\n");
}

static void keeps(unsigned interp, const char *before, const char *after)
{
	char text[256], kept[256] = "", *rest;
	const char *names[16];
	size_t depth = 0;

	snprintf(text, sizeof(text), "%s", before);
	for (char *name = strtok_r(text, ";", &rest); name; name = strtok_r(NULL, ";", &rest))
		names[depth++] = name;
	depth = interp_view_names(interp, names, depth);
	for (size_t i = 0; i < depth; i++)
		snprintf(kept + strlen(kept), sizeof(kept) - strlen(kept), "%s%s", i ? ";" : "",
			 names[i]);
	assert_string_equal(kept, after);
}

TEST(names_alone_tell_what_is_native)
{
	static const char stack[] =
		"app;[off-CPU];main;a.f_[p];list_sort;a.g_[p];read_[k];[preempted]";

	keeps(0, stack, stack);
	keeps(1 + SETTINGS_INTERP_MERGE, stack, stack);
	keeps(1 + SETTINGS_INTERP_ONLY, stack, "app;[off-CPU];a.f_[p];a.g_[p];[preempted]");
	keeps(1 + SETTINGS_INTERP_NO, stack, "app;[off-CPU];main;list_sort;read_[k];[preempted]");
	keeps(1 + SETTINGS_INTERP_ONLY, "app;main;f", "app;main;f");
	keeps(1 + SETTINGS_INTERP_ONLY, "app;f_[p];[import]_[p];PyInit_x;[import]_[p];f_[p];f_[p]",
	      "app;f_[p];[import]_[p];f_[p];f_[p]");
	keeps(1 + SETTINGS_INTERP_NO, "app;a.f_[p]", "app");
}

/* Chains of frames as deep as the spool allows, and wide: the work is linear in them. */
TEST_OF(struct spool_fixture *f, many_frames_take_one_pass)
{
	uint64_t code = python(f, "f", "/srv/app.py");
	uint32_t node = 0;

	for (unsigned i = 0; i < 100000; i++)
		node = spool_builder_node(&f->builder, &f->thread,
					  i % 50000 == 0 ? code : PC(_PyEval_EvalFrameDefault),
					  node);
	spool_builder_weigh(&f->builder, node, 0, 1, 1);
	merges_into(f, "app;app.f_[p];app.f_[p] 1\n");
}

TEST(glue_is_known_by_its_names)
{
	static const struct {
		unsigned language;
		const char *name;
		enum languages_frame kind;
	} rows[] = {
		{ SPOOL_LANGUAGE_PYTHON, "_PyEval_EvalFrameDefault", LANGUAGES_FRAME_ALWAYS },
		{ SPOOL_LANGUAGE_PYTHON, "vectorcall_method.constprop.0", LANGUAGES_FRAME_ALWAYS },
		{ SPOOL_LANGUAGE_PYTHON, "PyNumber_Add", LANGUAGES_FRAME_BETWEEN },
		{ SPOOL_LANGUAGE_PYTHON, "list_sort", LANGUAGES_FRAME_NONE },
		{ SPOOL_LANGUAGE_PYTHON, "dict_subscript", LANGUAGES_FRAME_NONE },
		{ SPOOL_LANGUAGE_PYTHON, "execute_ex", LANGUAGES_FRAME_NONE },
		{ SPOOL_LANGUAGE_PHP, "execute_ex", LANGUAGES_FRAME_ALWAYS },
		{ SPOOL_LANGUAGE_PHP, "ZEND_DO_FCALL_SPEC_HANDLER", LANGUAGES_FRAME_ALWAYS },
		{ SPOOL_LANGUAGE_PHP, "zif_preg_match", LANGUAGES_FRAME_NONE },
		{ SPOOL_LANGUAGE_RUBY, "vm_exec_core", LANGUAGES_FRAME_ALWAYS },
		{ SPOOL_LANGUAGE_RUBY, "rb_vm_exec@plt", LANGUAGES_FRAME_ALWAYS },
		{ SPOOL_LANGUAGE_RUBY, "rb_ary_each", LANGUAGES_FRAME_NONE },
		{ SPOOL_LANGUAGE_PERL, "Perl_runops_standard", LANGUAGES_FRAME_ALWAYS },
		{ SPOOL_LANGUAGE_PERL, "Perl_pp_padsv", LANGUAGES_FRAME_ALWAYS },
		{ SPOOL_LANGUAGE_PERL, "Perl_pp_match", LANGUAGES_FRAME_NONE },
		{ 0, "main", LANGUAGES_FRAME_NONE },
		{ 99, "main", LANGUAGES_FRAME_NONE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (languages_frame(rows[i].language, rows[i].name) != rows[i].kind)
			fail_msg("%s of language %u", rows[i].name, rows[i].language);
}
