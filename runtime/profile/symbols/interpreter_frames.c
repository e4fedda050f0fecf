/*
 * One table of names for each language.  A name ends in `*` if more may follow.  The tables hold
 * for all versions that are sampled, so some names exist only in some of them.
 */
#include "runtime/profile/symbols/interpreter_frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const python_always[] = {
	"_PyEval_*",
	"PyEval_Eval*",
	"_PyFunction_*",
	"function_code_fastcall",
	"py_trampoline_evaluator",
	"slot_*",
	"_Py_slot_*",
	"type_call",
	"type_vectorcall",
	"tp_new_wrapper",
	"wrap_*",
	"wrapperdescr_*",
	"wrapper_call",
	"function_call*",
	"_PyObject_Vectorcall*",
	"PyObject_Vectorcall*",
	"PyVectorcall_*",
	"_PyVectorcall_*",
	"_PyObject_MakeTpCall",
	"_PyObject_Call*",
	"_PyObject_FastCall*",
	"PyObject_Call*",
	"object_vacall",
	"call_function",
	"do_call_core",
	"trace_call_function",
	"method_vectorcall*",
	"method_call",
	"vectorcall_method",
	"vectorcall_maybe",
	"vectorcall_unbound",
	"cfunction_vectorcall*",
	"cfunction_call*",
	"cfunction_enter_call",
	"call_method",
	"call_unbound*",
	"call_attribute",
	"lookup_maybe_method",
	"lookup_method",
	"_PyEvalFrame*",
	"_PyFrame_*",
	"_PyThreadState_PushFrame",
	"_PyThreadState_PopFrame",
	"frame_dealloc",
	"initialize_locals",
	"clear_thread_frame",
	"clear_gen_frame",
	"_Py_CheckFunctionResult",
	"_Py_Dealloc",
	"gen_send_ex*",
	"gen_iternext",
	"_PyGen_*",
	"PyGen_am_send",
	"PyGen_Send",
	"gen_send",
	"_gen_throw",
	"_PyAsyncGen*",
	"async_gen_*",
	"coro_*",
	NULL,
};

static const char *const python_between[] = {
	"classmethod_*",
	"cm_descr_get",
	"sm_descr_get",
	"property_descr_get",
	"property_descr_set",
	"call_typing_args_kwargs",
	"subtype_dealloc",
	"gen_dealloc",
	"gen_close*",
	"PyObject_*",
	"_PyObject_*",
	"PyNumber_*",
	"PyIter_*",
	"PySequence_*",
	"PyMapping_*",
	"PyDescr_*",
	"call_iter_next",
	"binary_op1",
	"ternary_op",
	"do_richcompare",
	/* how scripts and threads start, and what `import` and `exec` pass through */
	"main",
	"Py_BytesMain",
	"Py_Main",
	"Py_RunMain",
	"pymain_*",
	"run_mod",
	"run_eval_code_obj",
	"pyrun_*",
	"PyRun_*",
	"_PyRun_*",
	"thread_run",
	"t_bootstrap",
	"pythread_wrapper",
	"pythread_*",
	"PyImport_*",
	"_PyImport_*",
	"import_name",
	"import_from",
	"import_find_and_load",
	"import_ensure_initialized",
	"remove_importlib_frames",
	"builtin___import__*",
	"builtin_exec*",
	"builtin_eval*",
	"exec_code_in_module",
	/* how a garbage collection starts */
	"gc_*",
	"_PyGC_*",
	"PyGC_*",
	"collect",
	"collect_*",
	"_Py_RunGC",
	"_Py_HandlePending",
	"eval_frame_handle_pending",
	"PyType_GenericAlloc",
	"_PyType_AllocNoTrack",
	NULL,
};

static const char *const php_always[] = {
	"execute_ex",
	"zend_execute*",
	"ZEND_*_HANDLER",
	"zend_call_function",
	"zend_call_known_*",
	"zend_call_method",
	"_call_user_function*",
	"zend_vm_*",
	"zend_generator_resume",
	"zend_generator_ensure_initialized",
	"zend_generator_get_next_delegated_data",
	NULL,
};

static const char *const php_between[] = {
	"main",
	"do_cli",
	"do_php_cli",
	"php_execute_script*",
	"php_execute_simple_script",
	"php_handler",
	"php_request_*",
	"fcgi_*",
	"fpm_*",
	"zend_include_or_eval",
	"zend_std_call_*",
	"zend_call_*",
	"zend_objects_destroy_object",
	"zend_objects_store_del",
	"zend_lookup_class*",
	"zend_perform_class_autoload",
	"spl_perform_autoload",
	"zend_user_it_*",
	"gc_possible_root_when_full",
	"zend_gc_collect_cycles",
	"zend_gc_run",
	NULL,
};

static const char *const ruby_always[] = {
	"vm_exec*",
	"rb_vm_exec",
	"vm_sendish",
	"vm_call_*",
	"rb_vm_call*",
	"vm_cfp_consistent_p",
	"call_cfunc_*",
	"ractor_safe_call_cfunc_*",
	"vm_yield*",
	"rb_yield*",
	"vm_invoke_*",
	"invoke_block*",
	"invoke_iseq_block*",
	"invoke_bmethod",
	"rb_vm_invoke_*",
	"vm_invokeblock*",
	"rb_call*",
	"rb_funcall*",
	"rb_ec_*",
	"rb_vm_opt_*",
	NULL,
};

static const char *const ruby_between[] = {
	"main",
	"rb_main",
	"ruby_run_node",
	"ruby_exec_node",
	"rb_iseq_eval*",
	"rb_ensure",
	"rb_protect",
	"rb_rescue*",
	"rb_catch*",
	"vm_catch_protect",
	"rb_iterate*",
	"rb_block_call*",
	"rb_lambda_call",
	"rb_check_funcall*",
	"rb_obj_call_init*",
	"rb_class_new_instance*",
	"rb_class_s_new",
	"rb_method_call*",
	"call_method_data",
	"method_callable_method_entry",
	"proc_call",
	"rb_proc_call*",
	"bmcall",
	"thread_start_func_*",
	"thread_do_start*",
	"rb_fiber_start",
	"fiber_entry",
	"require_internal",
	"load_iseq_eval",
	"rb_require_*",
	"rb_f_require*",
	"rb_load_*",
	NULL,
};

static const char *const perl_always[] = {
	"Perl_runops_*",
	"Perl_call_*",
	"S_call_body",
	"Perl_pp_entersub",
	"Perl_pp_leavesub",
	/* the simplest operations, which are most of the loop's work */
	"Perl_pp_nextstate",
	"Perl_pp_dbstate",
	"Perl_pp_unstack",
	"Perl_pp_enter",
	"Perl_pp_leave",
	"Perl_pp_enterloop",
	"Perl_pp_leaveloop",
	"Perl_pp_enteriter",
	"Perl_pp_iter",
	"Perl_pp_pushmark",
	"Perl_pp_stub",
	"Perl_pp_null",
	"Perl_pp_const",
	"Perl_pp_padsv",
	"Perl_pp_padsv_store",
	"Perl_pp_padrange",
	"Perl_pp_padav",
	"Perl_pp_padhv",
	"Perl_pp_gv",
	"Perl_pp_gvsv",
	"Perl_pp_rv2sv",
	"Perl_pp_rv2gv",
	"Perl_pp_rv2cv",
	"Perl_pp_rv2av",
	"Perl_pp_rv2hv",
	"Perl_pp_sassign",
	"Perl_pp_and",
	"Perl_pp_or",
	"Perl_pp_dor",
	"Perl_pp_not",
	"Perl_pp_cond_expr",
	"Perl_pp_lt",
	"Perl_pp_gt",
	"Perl_pp_le",
	"Perl_pp_ge",
	"Perl_pp_eq",
	"Perl_pp_ne",
	"Perl_pp_i_lt",
	"Perl_pp_i_gt",
	"Perl_pp_i_le",
	"Perl_pp_i_ge",
	"Perl_pp_i_eq",
	"Perl_pp_i_ne",
	"Perl_pp_add",
	"Perl_pp_subtract",
	"Perl_pp_multiply",
	"Perl_pp_i_add",
	"Perl_pp_i_subtract",
	"Perl_pp_preinc",
	"Perl_pp_predec",
	"Perl_pp_postinc",
	"Perl_pp_postdec",
	"Perl_pp_aelemfast",
	"Perl_pp_aelemfast_lex",
	NULL,
};

static const char *const perl_between[] = {
	"main",		  "perl_run",	      "S_run_body",	   "Perl_pp_require",
	"S_require_file", "S_doeval_compile", "Perl_pp_entereval", "S_docatch*",
	"Perl_sv_clear",  "Perl_sv_free2",    "S_curse",	   NULL,
};

struct names {
	const char *const *always;
	const char *const *between;
};

static const struct names languages[] = {
	[SPOOL_LANGUAGE_PYTHON] = { python_always, python_between },
	[SPOOL_LANGUAGE_PHP] = { php_always, php_between },
	[SPOOL_LANGUAGE_RUBY] = { ruby_always, ruby_between },
	[SPOOL_LANGUAGE_PERL] = { perl_always, perl_between },
};

/* Compare with a pattern that has at most one `*`. */
static bool matches(const char *pattern, const char *name, size_t bytes)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? (size_t)(star - pattern) : strlen(pattern);
	size_t after = star ? strlen(star + 1) : 0;

	if (bytes < before + after || (!star && bytes != before))
		return false;
	return !memcmp(name, pattern, before) &&
	       (!after || !memcmp(name + bytes - after, star + 1, after));
}

static bool is_one_of(const char *const *patterns, const char *name, size_t bytes)
{
	for (; *patterns; patterns++)
		if (matches(*patterns, name, bytes))
			return true;
	return false;
}

enum interpreter_frame interpreter_frames_find(enum spool_language language, const char *name)
{
	size_t bytes = strcspn(name, ".@"); /* "vectorcall_method.constprop.0", "rb_vm_exec@plt" */
	const struct names *names;

	if (language >= sizeof(languages) / sizeof(languages[0]) || !languages[language].always)
		return INTERPRETER_FRAME_NONE;
	names = &languages[language];
	if (is_one_of(names->always, name, bytes))
		return INTERPRETER_FRAME_ALWAYS;
	return is_one_of(names->between, name, bytes) ? INTERPRETER_FRAME_BETWEEN
						      : INTERPRETER_FRAME_NONE;
}
