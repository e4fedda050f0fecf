/*
 * A gzip stream into a file.  The same bytes in give the same bytes out: no time, no name.
 */
#ifndef RUNTIME_FOLD_BASE_GZIP_H
#define RUNTIME_FOLD_BASE_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct gzip;

/* Begin a stream into a file, which stays the caller's.
 * Returns 0 with *gzip to be ended by gzip_free; -ENOMEM; or -ELIBACC where zlib cannot be loaded.
 */
int gzip_new(FILE *file, struct gzip **gzip);

/* Errors are kept for gzip_free. */
void gzip_write(struct gzip *gzip, const void *bytes, size_t length);

/* End the stream.  Returns 0, or -EIO if any of it could not be written. */
int gzip_free(struct gzip *gzip);

#endif
