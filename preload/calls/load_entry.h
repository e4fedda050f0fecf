/*
 * The entries of the loader's functions that look at their caller: each calls a function of
 * load_calls.c and jumps to the function that it returns, with all arguments as they were.
 */
#ifndef PRELOAD_CALLS_LOAD_ENTRY_H
#define PRELOAD_CALLS_LOAD_ENTRY_H

#include <dlfcn.h>

#define LOAD_LOCAL __attribute__((visibility("hidden")))

typedef void *load_open(const char *path, int mode);
typedef void *load_open_in(Lmid_t space, const char *path, int mode);
typedef void *load_symbol(void *handle, const char *name);
typedef void *load_version(void *handle, const char *name, const char *version);

/* Before an object is loaded, or a symbol is looked up.  Return the next definition of the
 * function.  Context: any. */
load_open *load_enter_dlopen(const char *path, int mode) LOAD_LOCAL;
load_open_in *load_enter_dlmopen(Lmid_t space, const char *path, int mode) LOAD_LOCAL;
load_symbol *load_enter_dlsym(void) LOAD_LOCAL;
load_version *load_enter_dlvsym(void) LOAD_LOCAL;

#endif
