/*
 * The distance between two names, for "nearest: ..." in messages about unknown names.
 */
#ifndef CONFIG_TEXT_DISTANCE_H
#define CONFIG_TEXT_DISTANCE_H

#include <stddef.h>

/* Returns the number of single-character edits (insert, remove, replace, swap neighbours) between
 * two texts.  Only their first 63 bytes are compared.  Context: any. */
unsigned text_distance(const char *one, size_t one_length, const char *other, size_t other_length);

#endif
