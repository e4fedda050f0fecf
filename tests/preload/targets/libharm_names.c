/* The names as a preloaded library has them. */
#include "tests/preload/targets/harm_names.h"
