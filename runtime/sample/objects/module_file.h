/*
 * The file behind an object without a build-id, as the spool describes it.
 */
#ifndef RUNTIME_SAMPLE_OBJECTS_MODULE_FILE_H
#define RUNTIME_SAMPLE_OBJECTS_MODULE_FILE_H

#include <stdbool.h>

#include "runtime/spool/format.h"

struct modules;

/* Describe the file at the entry's path, whose flags are set too.  That of the executable is the
 * mapped one, whatever has its path now.  Context: any. */
void module_file_note(struct spool_module *entry);

bool module_file_is_same(const struct spool_mapped *one, const struct spool_mapped *other);

/* Look at the mappings of the objects that were noted later than they were loaded: was the file at
 * the path still theirs?  `text` has MAPPING_LINE_BYTES bytes.  Opens a descriptor if there are
 * any.  Context: any, except our handlers; one caller at a time. */
void module_file_confirm(struct modules *modules, char *text);

#endif
