/*
 * Every distinct text once: a small number stands for it, so that frames are compared and
 * stored as numbers.
 */
#ifndef RUNTIME_FOLD_BASE_NAMES_H
#define RUNTIME_FOLD_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct names;

/* NULL when memory is out.  Free with names_free. */
struct names *names_new(void);
void names_free(struct names *names);

/* The number of a text of `length` bytes, which is copied when it is new; numbers count up
 * from 1.  Returns 0 when memory is out. */
uint32_t names_intern(struct names *names, const char *text, size_t length);

/* The NUL-terminated text of a number; owned by names. */
const char *names_text(const struct names *names, uint32_t number);

/* Its length; 0 for a number that was not given out. */
size_t names_length(const struct names *names, uint32_t number);

/* How many numbers were given out. */
uint32_t names_count(const struct names *names);

#endif
