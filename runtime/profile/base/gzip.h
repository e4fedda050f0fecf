/*
 * Writes compressed data into a file.  A gzip header has no time and no name, so equal input gives
 * equal output.
 */
#ifndef RUNTIME_PROFILE_BASE_GZIP_H
#define RUNTIME_PROFILE_BASE_GZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gzip;

/* Begin a stream into a file, which remains the caller's.  Returns 0 with *gzip, to be ended with
 * gzip_free(); -ENOMEM; or -ELIBACC if zlib cannot be loaded. */
int gzip_new(FILE *file, struct gzip **gzip);

/* Like gzip_new(), for headerless deflate (RFC 1951) as base64, not compressed without zlib. */
int gzip_new_base64(FILE *file, struct gzip **gzip);

/* Errors are kept and returned by gzip_free(). */
void gzip_write(struct gzip *gzip, const void *bytes, size_t length);

/* Open a file that goes into the stream, to be closed before gzip_free().  Returns 0 or -ENOMEM. */
int gzip_stream(struct gzip *gzip, FILE **stream);

/* End the stream.  Returns 0, or -EIO if any of it could not be written. */
int gzip_free(struct gzip *gzip);

/* Base64 (RFC 4648) as bytes come, on one line.  A text begins zeroed, with its file. */
struct base64 {
	FILE *file;
	uint8_t rest[3]; /* bytes that do not fill a group of four characters yet */
	unsigned rest_bytes;
};

/* Errors are those of the file: ferror(). */
void base64_write(struct base64 *text, const void *bytes, size_t length);

/* Write what is left, padded. */
void base64_end(struct base64 *text);

#endif
