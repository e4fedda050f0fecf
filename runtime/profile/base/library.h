/* Shared libraries that only some commands need.  Each is loaded when it is first needed. */
#ifndef RUNTIME_PROFILE_BASE_LIBRARY_H
#define RUNTIME_PROFILE_BASE_LIBRARY_H

/* The name of a library's function, and where its address is stored. */
struct library_entry {
	const char *name;
	void **function;
};

/* Load a library by its soname and look up the entries; the last entry has a NULL name.  It stays
 * loaded.  Returns 0, or -ELIBACC if the library or one of the functions is missing. */
int library_open(const char *soname, const struct library_entry *entries);

#endif
