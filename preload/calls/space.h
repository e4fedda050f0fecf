/*
 * Plugins in a namespace of their own (dlmopen(3)), which have a libc of their own too.
 */
#ifndef PRELOAD_CALLS_SPACE_H
#define PRELOAD_CALLS_SPACE_H

/* What a plugin calls there in place of its libc's function of this name; NULL: libc's.  Context:
 * any. */
void *space_function(const char *name);

#endif
