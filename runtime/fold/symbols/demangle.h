/*
 * Names as the folded format wants them: demangled, and with nothing in them that would be
 * read as structure.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_DEMANGLE_H
#define RUNTIME_FOLD_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* The source language's name of a C++, Rust or D symbol without parameters and return type;
 * NULL if it is none of them, or memory is out.  Free with free(). */
char *demangle_symbol(const char *symbol);

/* Take out of a symbol, in place, what says nothing of the function: its version
 * ("@@GLIBC_2.14"), numbers that tell static functions of different files apart (".lto_priv.0",
 * ".llvm.123"), and ".cold" of a part that the compiler moved away and the function jumps to.
 * Endings of code that is called by itself (".isra.0", ".part.1") stay. */
void demangle_plain(char *symbol);

/* Take out of a symbol, in place, the endings of copies and parts that the compiler made of a
 * function: ".isra.0", ".constprop.0.part.1".  Its copies are then one function. */
void demangle_tidy(char *symbol);

/* Make a name fit to be a frame, in place; it does not get longer.  `;` becomes `:`, control
 * bytes become `?`, blanks at the ends go, and a blank before a last bare number (which readers
 * take for the count) becomes `_`.  Returns the new length. */
size_t demangle_clean(char *name);

#endif
