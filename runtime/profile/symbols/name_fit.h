/* Which function a user means by a name: one rule for all verbs that take one. */
#ifndef RUNTIME_PROFILE_SYMBOLS_NAME_FIT_H
#define RUNTIME_PROFILE_SYMBOLS_NAME_FIT_H

#include <stddef.h>

/* How well a name fits.  Only names that fit best are meant. */
enum name_fit {
	NAME_FIT_NONE,
	NAME_FIT_PART,	  /* "compute" of "app::compute<int>" or "app.compute_[p]" */
	NAME_FIT_PATTERN, /* as of a shell: "comp*" */
	NAME_FIT_PLAIN,	  /* without the suffix for the kind of code */
	NAME_FIT_WHOLE,
};

/* Returns how well the name of a frame fits the one that a user gave.  Context: any. */
enum name_fit name_fit(const char *given, const char *name);

/* Returns the length of a name without parameters: up to the first parenthesis that is not part of
 * a template's arguments, nor of "{lambda(int)#1}", nor of "(anonymous namespace)". */
size_t name_fit_without_parameters(const char *name, size_t bytes);

#endif
