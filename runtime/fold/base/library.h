/*
 * Shared libraries that only some answers need: each is loaded by the first answer that does.
 */
#ifndef RUNTIME_FOLD_BASE_LIBRARY_H
#define RUNTIME_FOLD_BASE_LIBRARY_H

/* A function of a library, and where its address goes. */
struct library_entry {
	const char *name;
	void **function;
};

/* Load a library by its soname and look up the entries, of which the last has no name.  It stays
 * loaded.  Returns 0, or -ELIBACC where it or one of the functions is missing. */
int library_open(const char *soname, const struct library_entry *entries);

#endif
