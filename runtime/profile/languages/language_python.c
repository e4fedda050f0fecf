/*
 * Python.  A file's module follows from its path: below one of the directories that Python imports
 * from, the path is the module's name.  Elsewhere the package's root is not known, and the file's
 * own name is the module's.
 */
#include "runtime/profile/languages/languages.h"

#include <stdlib.h>
#include <string.h>

#define FROZEN "<frozen "

static const char always[] =
	"_PyEval_* PyEval_Eval* _PyFunction_* function_code_fastcall py_trampoline_evaluator "
	"slot_* _Py_slot_* type_call type_vectorcall tp_new_wrapper wrap_* wrapperdescr_* "
	"wrapper_call function_call* _PyObject_Vectorcall* PyObject_Vectorcall* PyVectorcall_* "
	"_PyVectorcall_* _PyObject_MakeTpCall _PyObject_Call* _PyObject_FastCall* PyObject_Call* "
	"object_vacall call_function do_call_core trace_call_function method_vectorcall* "
	"method_call vectorcall_method vectorcall_maybe vectorcall_unbound cfunction_vectorcall* "
	"cfunction_call* cfunction_enter_call call_method call_unbound* call_attribute "
	"lookup_maybe_method lookup_method _PyEvalFrame* _PyFrame_* _PyThreadState_PushFrame "
	"_PyThreadState_PopFrame frame_dealloc initialize_locals clear_thread_frame "
	"clear_gen_frame _Py_CheckFunctionResult _Py_Dealloc gen_send_ex* gen_iternext _PyGen_* "
	"PyGen_am_send PyGen_Send gen_send _gen_throw _PyAsyncGen* async_gen_* coro_*";

static const char between[] =
	"classmethod_* cm_descr_get sm_descr_get property_descr_get property_descr_set "
	"call_typing_args_kwargs subtype_dealloc gen_dealloc gen_close* PyObject_* _PyObject_* "
	"PyNumber_* PyIter_* PySequence_* PyMapping_* PyDescr_* call_iter_next binary_op1 "
	"ternary_op do_richcompare "
	/* how scripts and threads start, and what `import` and `exec` pass through */
	"main Py_BytesMain Py_Main Py_RunMain pymain_* run_mod run_eval_code_obj pyrun_* PyRun_* "
	"_PyRun_* thread_run t_bootstrap pythread_wrapper pythread_* PyImport_* _PyImport_* "
	"import_name import_from import_find_and_load import_ensure_initialized "
	"remove_importlib_frames builtin___import__* builtin_exec* builtin_eval* "
	"exec_code_in_module "
	/* how a garbage collection starts */
	"gc_* _PyGC_* PyGC_* collect collect_* _Py_RunGC _Py_HandlePending "
	"eval_frame_handle_pending PyType_GenericAlloc _PyType_AllocNoTrack";

static bool begins(const struct part *part, const char *text)
{
	return part->bytes >= strlen(text) && !memcmp(part->text, text, strlen(text));
}

static bool ends(const struct part *part, const char *text)
{
	size_t bytes = strlen(text);

	return part->bytes > bytes && !memcmp(part->text + part->bytes - bytes, text, bytes);
}

/* Remove an ending, if the part has it and something is left. */
static void cut(struct part *part, const char *ending)
{
	if (ends(part, ending))
		part->bytes -= strlen(ending);
}

/* "python3.11", "python3.13t" */
static bool is_library(const struct part *part)
{
	return begins(part, "python3.") || begins(part, "pypy3.");
}

/* Returns true for a directory, or an archive, that modules are imported from; `above` is the path
 * before it. */
static bool is_root(const struct part *part, struct part above)
{
	static const char *const archives[] = { ".egg", ".zip", ".whl", ".pyz" };
	struct part parent = part_base(above);

	if (part_is(*part, "site-packages") || part_is(*part, "dist-packages") ||
	    part_is(*part, "lib-dynload"))
		return true;
	if (is_library(part) && begins(&parent, "lib"))
		return true;
	for (size_t i = 0; i < sizeof(archives) / sizeof(archives[0]); i++)
		if (ends(part, archives[i]))
			return true;
	return false;
}

/* Returns the part of a path behind the last directory that modules are imported from, or an empty
 * one. */
static struct part below_root(struct part path)
{
	struct part above = path, below = { path.text + path.bytes, 0 };

	for (part_take_last(&above); above.bytes;) {
		size_t end = above.bytes;
		struct part last = part_take_last(&above);

		if (!is_root(&last, above))
			continue;
		below.text = path.text + end + 1;
		below.bytes = path.bytes - end - 1;
		break;
	}
	return below;
}

/* Returns the part of a path that names its module.  `__init__` and `__main__` mean the directory
 * that they are in. */
static struct part module_path(struct part path)
{
	struct part below = below_root(path), above = path, last;
	bool known = below.bytes > 0;

	if (!known)
		below = part_take_last(&above);
	cut(&below, ".py");
	cut(&below, ".pyw");
	last = part_base(below);
	if (!known && (part_is(last, "__init__") || part_is(last, "__main__"))) {
		last = part_base(above);
		if (last.bytes) {
			below.bytes += (size_t)(below.text - last.text);
			below.text = last.text;
		}
	}
	cut(&below, "/__init__");
	return below;
}

/* The module in angle brackets is what Python calls code without a file, such as "<string>". */
static struct part frozen(struct part path)
{
	if (begins(&path, FROZEN) && ends(&path, ">")) {
		path.text += strlen(FROZEN);
		path.bytes -= strlen(FROZEN) + 1;
	}
	return path;
}

static char *module_of(struct part path)
{
	bool real = !begins(&path, "<");
	struct part module = real ? module_path(path) : frozen(path);
	char *text = strndup(module.text, module.bytes);

	for (char *c = text; c && real && *c; c++)
		if (*c == '/')
			*c = '.';
	return text;
}

/* Returns the name of a function of Python with its class or function before it, but its own name
 * alone, which is that of tracebacks, where it was given another one than it was defined with
 * (code.replace(co_name=…), as numpy's functions are made). */
static struct part choose(struct part name, struct part qualified)
{
	size_t before = qualified.bytes - name.bytes;

	if (!qualified.bytes)
		return name;
	if (!name.bytes || qualified.bytes + 4 > SPOOL_CODE_NAME_MAX) /* its end was cut */
		return qualified;
	return qualified.bytes >= name.bytes &&
			       !memcmp(qualified.text + before, name.text, name.bytes) &&
			       (!before || qualified.text[before - 1] == '.')
		       ? qualified
		       : name;
}

/* python3.12 and later can: python3.12, libpython3.12.so.1.0. */
static bool names_functions(const char *base)
{
	static const char major[] = "python3.";
	const char *at = strstr(base, major);

	return at && strtoul(at + strlen(major), NULL, 10) >= 12;
}

static const char *const importers[] = {
	"<frozen importlib._bootstrap>",
	"<frozen importlib._bootstrap_external>",
	NULL,
};

const struct language language_python = {
	.name = "python",
	.mapping = "[python]",
	.always = always,
	.between = between,
	.trampoline = "py::", /* "py::function:file" */
	.choose = choose,
	.module = module_of,
	.importers = importers,
	.variable = "PYTHONPERFSUPPORT",
	.names_functions = names_functions,
};
