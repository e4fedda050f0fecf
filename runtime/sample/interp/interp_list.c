/* The runtimes whose functions are found. */
#include "runtime/sample/interp/interp_runtime.h"

#define ROW(id, number, name) &interp_##name,

const struct interp_runtime *const interp_runtimes[INTERP_RUNTIMES_MAX + 1] = {
	SPOOL_LANGUAGES(ROW) NULL,
};
