/* A whole life in a program that defines the names itself. */
#include "tests/preload/targets/harm_life.c" /* NOLINT(bugprone-suspicious-include) */
#include "tests/preload/targets/harm_names.h"
