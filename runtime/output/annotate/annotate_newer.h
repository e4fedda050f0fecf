/*
 * Source files of a listing that may have other lines than the program that was sampled.
 */
#ifndef RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_NEWER_H
#define RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_NEWER_H

#include <stdbool.h>

struct annotate_listing;

/* Returns which texts of a listing are source files that changed after the object file was made, or
 * after the end of the profile if the function is interpreted: by number, to be freed.  Returns
 * NULL when memory is out. */
bool *annotate_newer_files(const struct annotate_listing *listing);

#endif
