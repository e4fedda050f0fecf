/*
 * Names on frames that have no room for them: what tells a name apart is kept longest.
 * The script does the same (labelFor in graph_model.js).
 */
#ifndef RUNTIME_FOLD_GRAPH_GRAPH_LABEL_H
#define RUNTIME_FOLD_GRAPH_GRAPH_LABEL_H

#include <stddef.h>
#include <stdio.h>

/* Write a name, or what so many cells have room for: without arguments of templates, then
 * without those of calls, then cut; code without a name keeps its address.  Safe inside an XML
 * element. */
void graph_label_write(FILE *file, const char *name, size_t bytes, size_t cells);

#endif
