/*
 * Code that is mapped a second time from the file of a loaded object, as node does with its
 * builtins: the loader does not list it.  The handler notes where samples met what is in no
 * object; /proc/self/maps is read outside of it, when such memory is unmapped and at the end.
 */
#ifndef RUNTIME_SAMPLE_MODULE_COPY_H
#define RUNTIME_SAMPLE_MODULE_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct modules;

/* Nothing was met.  Context: init, fork child. */
void module_copy_start(void);

/* A sample met an address that is in no object.  Context: signal. */
void module_copy_meet(uint64_t pc);

/* True if a sample met such memory in or near [start, end), and nobody has looked yet what it is.
 * Context: any. */
bool module_copy_is_met(uint64_t start, uint64_t end);

/* If anything was met since the last call, have the spool name what is mapped a second time now.
 * Opens a descriptor.  Context: any, but no handler of ours. */
void module_copy_note(struct modules *modules);

#endif
