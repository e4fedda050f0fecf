/* Ruby. */
#include "runtime/profile/languages/languages.h"

static const char always[] =
	"vm_exec* rb_vm_exec vm_sendish vm_call_* rb_vm_call* vm_cfp_consistent_p call_cfunc_* "
	"ractor_safe_call_cfunc_* vm_yield* rb_yield* vm_invoke_* invoke_block* "
	"invoke_iseq_block* invoke_bmethod rb_vm_invoke_* vm_invokeblock* rb_call* rb_funcall* "
	"rb_ec_* rb_vm_opt_*";

static const char between[] =
	"main rb_main ruby_run_node ruby_exec_node rb_iseq_eval* rb_ensure rb_protect rb_rescue* "
	"rb_catch* vm_catch_protect rb_iterate* rb_block_call* rb_lambda_call rb_check_funcall* "
	"rb_obj_call_init* rb_class_new_instance* rb_class_s_new rb_method_call* call_method_data "
	"method_callable_method_entry proc_call rb_proc_call* bmcall thread_start_func_* "
	"thread_do_start* rb_fiber_start fiber_entry require_internal load_iseq_eval rb_require_* "
	"rb_f_require* rb_load_*";

static const char *const scripts[] = { "<main>", "<top (required)>", NULL };

const struct language language_ruby = {
	.name = "ruby",
	.mapping = "[ruby]",
	.always = always,
	.between = between,
	.scripts = scripts,
};
