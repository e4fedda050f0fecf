/*
 * Makes names fit for the folded format: demangled, and without characters that the format uses as
 * structure.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_DEMANGLE_H
#define RUNTIME_PROFILE_SYMBOLS_DEMANGLE_H
#include <stddef.h>

/* Returns the name of a C++, Rust or D symbol in its source language, without parameters and return
 * type; NULL for other symbols, or when memory is out.  Free with free(). */
char *demangle_symbol(const char *symbol);

/* Remove from a symbol, in place, the parts that say nothing about the function: its version
 * ("@@GLIBC_2.14"), numbers that distinguish static functions of different files (".lto_priv.0",
 * ".llvm.123"), and ".cold" of a part that the compiler moved away and the function jumps to.
 * Endings of code that is called by itself (".isra.0", ".part.1") stay. */
void demangle_plain(char *symbol);

/* Remove from a symbol, in place, the endings of copies and parts that the compiler made of a
 * function: ".isra.0", ".constprop.0.part.1".  All copies then count as one function. */
void demangle_tidy(char *symbol);

/* Make a name fit to be a frame, in place; it never gets longer.  `;` becomes `:`, control bytes
 * become `?`, blanks at both ends are removed, and a blank before a trailing bare number (which
 * readers take for the count) becomes `_`, as does a name of blanks alone (threads and labels have
 * such).  Returns the new length, which is 0 for an empty name only. */
size_t demangle_clean(char *name);

#endif
