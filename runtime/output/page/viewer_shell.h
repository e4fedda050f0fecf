/*
 * What pages have in common: the elements around their data, and the form in which a text begins
 * the data.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_SHELL_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_SHELL_H

#include <stddef.h>
#include <stdio.h>

struct gzip;

enum viewer_shell { VIEWER_SHELL_PROFILE, VIEWER_SHELL_DIFFERENCE };

/* Write a page up to its data, which follow as base64, and from their end on; viewer_data.h shows
 * it.  Errors are those of the file: ferror(). */
void viewer_shell_begin(enum viewer_shell shell, const char *title, FILE *file);
void viewer_shell_end(enum viewer_shell shell, FILE *file);

/* Write a text of less than 4 GB: its length as 32 bits, its bytes, and zeros up to a multiple of
 * 8. */
void viewer_shell_pack(struct gzip *gzip, const char *text, size_t length);

#endif
