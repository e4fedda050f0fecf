/*
 * Programs in which nothing can be sampled, however they are started.
 */
#ifndef PRELOAD_PROCESS_UNSUITABLE_H
#define PRELOAD_PROCESS_UNSUITABLE_H

#include <stdbool.h>
#include <stddef.h>

struct settings;

#define UNSUITABLE_BYTES 160 /* of the longest reason */

/* Returns whether this program is one, with the reason in `line`; the line is empty where the
 * command reports the reason itself.  Context: the constructor, after the settings were read. */
bool unsuitable_explain(const struct settings *settings, char *line, size_t bytes);

#endif
