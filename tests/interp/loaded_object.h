/* Stands for interp_find.c in tests that call one runtime's walk. */
#ifndef TESTS_INTERP_LOADED_OBJECT_H
#define TESTS_INTERP_LOADED_OBJECT_H

#include <stdbool.h>

struct interp_object;

/* Find the loaded object that exports a symbol.  False: none does. */
bool loaded_object_find(const char *mark, struct interp_object *object);

#endif
