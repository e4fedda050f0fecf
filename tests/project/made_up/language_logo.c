/* Logo, a language of the tests. */
#include "runtime/profile/languages/languages.h"

static const char *const always[] = { "logo_run", NULL };
static const char *const between[] = { NULL };
static const char *const scripts[] = { NULL };

const struct language language_logo = {
	.name = "logo",
	.mapping = "[logo]",
	.always = always,
	.between = between,
	.scripts = scripts,
};
