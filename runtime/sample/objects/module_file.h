/*
 * The identity of an object: its build-id, or else the file behind it, as the spool describes it.
 */
#ifndef RUNTIME_SAMPLE_OBJECTS_MODULE_FILE_H
#define RUNTIME_SAMPLE_OBJECTS_MODULE_FILE_H

struct modules;
struct spool_module;

/* Copy the object's build-id from its memory; without one, describe the file at its path, and sum
 * up its first page (file_head_sum()) if that cannot differ from the file's.  The entry's
 * addresses, path and flags are set.  The file of the executable is the mapped one, whatever has
 * its path now. Context: any, one caller at a time. */
void module_file_note(struct spool_module *entry);

/* Look at the mappings of the objects that were noted later than they were loaded: was the file at
 * the path still theirs?  `text` has MAPPING_LINE_BYTES bytes.  Opens a descriptor if there are
 * any.  Context: any, except our handlers; one caller at a time. */
void module_file_confirm(struct modules *modules, char *text);

#endif
