/*
 * Names for code that a reader could not name, noted outside of the handler, when such memory is
 * unmapped and at the end.
 */
#ifndef RUNTIME_SAMPLE_TREE_MODULE_COPY_H
#define RUNTIME_SAMPLE_TREE_MODULE_COPY_H

#include <stdint.h>

#define MODULE_COPY_MAX 32 /* that one call notes; further ones stay without a name */

struct modules;

/* If any sample met code in no object since the last call (unmapped_code.c), note in the spool the
 * code that is now mapped a second time from the file of a loaded object, as node does with its
 * builtins. Also confirm the files of objects (module_file.c), and module_names_note().  Opens a
 * descriptor.  Context: any, except our handlers. */
void module_copy_note(struct modules *modules);

/* So many bytes are about to be unmapped, and samples have met code in no object: note a jitdump
 * that is mapped still.  Context: any, except our handlers. */
void module_copy_unmapped(struct modules *modules, uint64_t bytes);

/* Note the functions of objects that have no file which a reader could open: a program or a library
 * in a memfd, or whose file was removed or replaced while it was mapped.  Its symbols are read
 * while it lives, each object once, and those of functions that have samples are kept in the spool.
 * `text` has MAPPING_LINE_BYTES bytes.  Reads the mappings only if the file of an object that has
 * samples is gone, or changed since the process began.  Opens descriptors.  Context: any, except
 * our handlers; one caller at a time. */
void module_names_note(struct modules *modules, char *text);

#endif
