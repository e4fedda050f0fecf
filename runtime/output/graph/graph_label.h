/*
 * Shortens names for frames that are too narrow; the distinctive part of a name is kept longest.
 * The script does the same (labelFor in graph_model.js).
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_LABEL_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_LABEL_H

#include <stddef.h>
#include <stdio.h>

/* Write a name, or a short form that fits into `cells` cells: without template arguments, then also
 * without call arguments, then cut; code without a name keeps its address.  Safe inside an XML
 * element. */
void graph_label_write(FILE *file, const char *name, size_t bytes, size_t cells);

#endif
