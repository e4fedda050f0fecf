/* Perl. */
#include "runtime/profile/languages/languages.h"

static const char always[] =
	"Perl_runops_* Perl_call_* S_call_body Perl_pp_entersub Perl_pp_leavesub "
	/* the simplest operations, which are most of the loop's work */
	"Perl_pp_nextstate Perl_pp_dbstate Perl_pp_unstack Perl_pp_enter Perl_pp_leave "
	"Perl_pp_enterloop Perl_pp_leaveloop Perl_pp_enteriter Perl_pp_iter Perl_pp_pushmark "
	"Perl_pp_stub Perl_pp_null Perl_pp_const Perl_pp_padsv Perl_pp_padsv_store "
	"Perl_pp_padrange Perl_pp_padav Perl_pp_padhv Perl_pp_gv Perl_pp_gvsv Perl_pp_rv2sv "
	"Perl_pp_rv2gv Perl_pp_rv2cv Perl_pp_rv2av Perl_pp_rv2hv Perl_pp_sassign Perl_pp_and "
	"Perl_pp_or Perl_pp_dor Perl_pp_not Perl_pp_cond_expr Perl_pp_lt Perl_pp_gt Perl_pp_le "
	"Perl_pp_ge Perl_pp_eq Perl_pp_ne Perl_pp_i_lt Perl_pp_i_gt Perl_pp_i_le Perl_pp_i_ge "
	"Perl_pp_i_eq Perl_pp_i_ne Perl_pp_add Perl_pp_subtract Perl_pp_multiply Perl_pp_i_add "
	"Perl_pp_i_subtract Perl_pp_preinc Perl_pp_predec Perl_pp_postinc Perl_pp_postdec "
	"Perl_pp_aelemfast Perl_pp_aelemfast_lex";

static const char between[] =
	"main perl_run S_run_body Perl_pp_require S_require_file S_doeval_compile "
	"Perl_pp_entereval S_docatch* Perl_sv_clear Perl_sv_free2 S_curse";

static const char *const scripts[] = { "{main}", "{include}", "{require}", NULL };

const struct language language_perl = {
	.name = "perl",
	.mapping = "[perl]",
	.always = always,
	.between = between,
	.scripts = scripts,
};
