/* PHP. */
#include "runtime/profile/languages/languages.h"

static const char always[] =
	"execute_ex zend_execute* ZEND_*_HANDLER zend_call_function zend_call_known_* "
	"zend_call_method _call_user_function* zend_vm_* zend_generator_resume "
	"zend_generator_ensure_initialized zend_generator_get_next_delegated_data";

static const char between[] =
	"main do_cli do_php_cli php_execute_script* php_execute_simple_script php_handler "
	"php_request_* fcgi_* fpm_* zend_include_or_eval zend_std_call_* zend_call_* "
	"zend_objects_destroy_object zend_objects_store_del zend_lookup_class* "
	"zend_perform_class_autoload spl_perform_autoload zend_user_it_* "
	"gc_possible_root_when_full zend_gc_collect_cycles zend_gc_run";

static const char *const scripts[] = { "{main}", "{include}", "{require}", NULL };

const struct language language_php = {
	.name = "php",
	.mapping = "[php]",
	.always = always,
	.between = between,
	.scripts = scripts,
	.nameless = "{main}",
};
