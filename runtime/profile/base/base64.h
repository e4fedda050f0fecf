/* Base64 (RFC 4648) as bytes come, on one line. */
#ifndef RUNTIME_PROFILE_BASE_BASE64_H
#define RUNTIME_PROFILE_BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A text begins zeroed, with its file. */
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
