/*
 * What code under test writes to a file, as a text.
 */
#ifndef TESTS_SUPPORT_WRITTEN_H
#define TESTS_SUPPORT_WRITTEN_H

#include <stddef.h>
#include <stdio.h>

struct written {
	char *text;
	size_t bytes;
	FILE *file;
};

/* A file in memory, to be written to. */
FILE *written_begin(struct written *to);

/* All that was written, followed by a zero; to be freed. */
char *written_end(struct written *to);

/* All that was written is this text. */
void written_is(struct written *to, const char *expected);

/* A part occurs in the text, or it does not. */
void holds(const char *text, const char *part);
void holds_not(const char *text, const char *part);

#endif
