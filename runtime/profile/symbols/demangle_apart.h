/*
 * Demangling that may take any time, memory or depth of stack, as that of a damaged or hostile
 * file.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_DEMANGLE_APART_H
#define RUNTIME_PROFILE_SYMBOLS_DEMANGLE_APART_H

#include <stddef.h>

/* Returns what `demangle` makes of a symbol, computed by a child process with limits, so that this
 * one loses nothing.  NULL if it returns NULL, has `most` bytes or more, exceeds the limits, or
 * crashes.  Free with free(). */
char *demangle_apart(char *(*demangle)(const char *symbol), const char *symbol, size_t most);

#endif
