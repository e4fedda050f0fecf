/*
 * Makes names safe as text in a picture, a table or a file.  A name may hold any bytes.  Characters
 * that XML forbids, invalid UTF-8, control characters and characters that reorder text (a name must
 * not change how its neighbours read) become U+FFFD.
 */
#ifndef RUNTIME_PROFILE_BASE_SAFE_TEXT_H
#define RUNTIME_PROFILE_BASE_SAFE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Write bytes of text, safe inside an XML element or attribute. */
void safe_text_xml(FILE *file, const char *text, size_t bytes);

/* Write bytes of text as a part of a JSON string without quotes, safe inside XML; see json.h. */
void safe_text_json(FILE *file, const char *text, size_t bytes);

/* Write bytes of text without escapes: valid UTF-8 for files with counted strings. */
void safe_text_plain(FILE *file, const char *text, size_t bytes);

/* Returns the same as a text to be freed, with *length; NULL when memory is out. */
char *safe_text_copy(const char *text, size_t bytes, size_t *length);

/* Returns how many bytes of text fit into `cells` cells of a fixed-width font, in whole characters.
 * East Asian wide characters and pictographs take two cells. */
size_t safe_text_fit(const char *text, size_t bytes, size_t cells);

/* Returns how many cells the whole text takes. */
size_t safe_text_cells(const char *text, size_t bytes);

/* Write the text, or as much of it as fits followed by "..", safe inside an XML element. */
void safe_text_clipped(FILE *file, const char *text, size_t bytes, size_t cells);

/* Write a name for a terminal, clipped like a label. */
void safe_text_terminal(FILE *file, const char *name, size_t cells);

#endif
