/*
 * What pages have in common: the elements around their data, and the form in which a text begins
 * the data.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_SHELL_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_SHELL_H

#include <stddef.h>
#include <stdio.h>

struct gzip;

/* Write the page up to its data, which follow as base64, and from their end on; viewer_data.h shows
 * it.  `style` comes after viewer.css.  Errors are those of the file: ferror(). */
void viewer_shell_begin(const char *title, const char *style, FILE *file);
void viewer_shell_end(const char *script, FILE *file);

/* Write a text of less than 4 GB: its length as 32 bits, its bytes, and zeros up to a multiple of
 * 8. */
void viewer_shell_pack(struct gzip *gzip, const char *text, size_t length);

#endif
