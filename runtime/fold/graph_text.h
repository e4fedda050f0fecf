/*
 * Names as text in a flame graph: their bytes made safe.
 * A name may hold any bytes.  What XML forbids, what is no UTF-8, control characters and those
 * that reorder text (a name must not change how its neighbours read) become U+FFFD.
 */
#ifndef RUNTIME_FOLD_GRAPH_TEXT_H
#define RUNTIME_FOLD_GRAPH_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Write bytes of text, safe inside an XML element or attribute. */
void graph_text_xml(FILE *file, const char *text, size_t bytes);

/* Write bytes of text as a JSON string with its quotes, safe inside an XML element. */
void graph_text_json(FILE *file, const char *text, size_t bytes);

/* Write bytes of text, with nothing escaped: valid UTF-8 for files with strings of bytes. */
void graph_text_plain(FILE *file, const char *text, size_t bytes);

/* How many bytes of text fit into so many cells of a fixed-width font, in whole characters.
 * East Asian wide characters and pictographs take two. */
size_t graph_text_fit(const char *text, size_t bytes, size_t cells);

/* How many of them the whole text takes. */
size_t graph_text_cells(const char *text, size_t bytes);

/* Write text, or as much of it as fits followed by "..", safe inside an XML element. */
void graph_text_clipped(FILE *file, const char *text, size_t bytes, size_t cells);

/* Write a name for a terminal, clipped like a label. */
void graph_text_terminal(FILE *file, const char *name, size_t cells);

/* Write 1234567 as 1,234,567. */
void graph_text_count(FILE *file, uint64_t count);

/* Write "1,234 samples", "1 sample", "1.23 ms" (for "ns"), safe inside an XML element. */
void graph_text_value(FILE *file, uint64_t value, const char *unit);

/* Write a number of at most 1e12 with 2 decimals and a point, whatever the locale; `before` and
 * `after` as they are. */
void graph_text_fixed(FILE *file, const char *before, double number, const char *after);

/* A number of at least 0 as people say it: 1,234,567 or 0.0123, with 3 digits that count where
 * it is less than 1000. */
#define GRAPH_TEXT_SHORT_BYTES 48
void graph_text_short(char text[GRAPH_TEXT_SHORT_BYTES], double number);

#endif
