/*
 * How far two names are apart, for "nearest: ..." where a name is unknown.
 */
#ifndef CONFIG_TEXT_DISTANCE_H
#define CONFIG_TEXT_DISTANCE_H

#include <stddef.h>

/* Number of single-character edits (insert, remove, replace, swap neighbours) between two
 * texts, of which only the first 63 bytes are looked at.  Context: any. */
unsigned text_distance(const char *one, size_t one_length, const char *other, size_t other_length);

#endif
