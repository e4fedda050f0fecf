/*
 * Code that is mapped a second time from the file of a loaded object, as node does with its
 * builtins.  The loader does not list it. unmapped_code.h records where samples met code in no
 * object. /proc/self/maps is read outside of the handler, when such memory is unmapped and at the
 * end.
 */
#ifndef RUNTIME_SAMPLE_TREE_MODULE_COPY_H
#define RUNTIME_SAMPLE_TREE_MODULE_COPY_H

#include <stdint.h>

#define MODULE_COPY_MAX 32 /* that one call notes; further ones stay without a name */

struct modules;

/* If any sample met such code since the last call, note in the spool the code that is now mapped a
 * second time; confirm the files of objects (module_file.h), and name the functions of those whose
 * file is gone (module_names.h).  Opens a descriptor.  Context: any, except our handlers. */
void module_copy_note(struct modules *modules);

/* So many bytes are about to be unmapped, and samples have met code in no object: note a jitdump
 * that is mapped still.  Context: any, except our handlers. */
void module_copy_unmapped(struct modules *modules, uint64_t bytes);

#endif
