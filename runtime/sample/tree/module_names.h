/*
 * Names of functions whose object has no file that a reader could open: a program or a library in a
 * memfd, or whose file was removed or replaced while it was mapped.  Its symbols are read while it
 * lives, and those of functions that have samples are kept in the spool.
 */
#ifndef RUNTIME_SAMPLE_TREE_MODULE_NAMES_H
#define RUNTIME_SAMPLE_TREE_MODULE_NAMES_H

struct modules;

/* Note the functions of such objects, each object once.  `text` has MAPPING_LINE_BYTES bytes. Reads
 * the mappings only if the file of an object that has samples is gone, or changed since the process
 * began.  Opens descriptors.  Context: any, except our handlers; one caller at a time. */
void module_names_note(struct modules *modules, char *text);

#endif
