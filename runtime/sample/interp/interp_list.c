/*
 * The runtimes whose functions are found.
 */
#include "runtime/sample/interp/interp_runtime.h"

const struct interp_runtime *const interp_runtimes[INTERP_RUNTIMES_MAX + 1] = {
	&interp_cpython, &interp_php, &interp_ruby, &interp_perl, NULL,
};
