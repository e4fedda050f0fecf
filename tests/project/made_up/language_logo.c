/* Logo, a language of the tests. */
#include "runtime/profile/languages/languages.h"

const struct language language_logo = {
	.name = "logo",
	.mapping = "[logo]",
	.always = "logo_run",
	.between = "",
};
