/*
 * What code under test writes to a file, as a text.  There is one at a time: it is there until the
 * next one is begun.
 */
#ifndef TESTS_SUPPORT_WRITTEN_H
#define TESTS_SUPPORT_WRITTEN_H

#include <stddef.h>
#include <stdio.h>

extern struct written {
	char *text; /* all that was written, followed by a zero, once the file is ended */
	size_t bytes;
	FILE *file;
} written;

/* A file in memory, to be written to. */
FILE *written_begin(void);
void written_end(void);

/* The same, unless the writer returned an error, which ends the case. */
void written_by(int err);

/* End the file if it is not; this was written, and a part occurs in what was written, or does not.
 */
void written_is(const char *expected);
void wrote(const char *part);
void wrote_not(const char *part);

/* The same of any text. */
void holds(const char *text, const char *part);

/* A file on a full disk, without a buffer, which nobody closes. */
FILE *written_full(void);

#endif
