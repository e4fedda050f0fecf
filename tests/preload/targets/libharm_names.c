/* The names, defined in a preloaded library. */
#include "tests/preload/targets/harm_names.h"
