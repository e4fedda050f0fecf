/*
 * Code that is mapped a second time from the file of a loaded object, as node does with its
 * builtins: the loader does not list it.  module_met.h tells where samples met what is in no
 * object; /proc/self/maps is read outside of the handler, when such memory is unmapped and at the
 * end.
 */
#ifndef RUNTIME_SAMPLE_SPOOL_MODULE_COPY_H
#define RUNTIME_SAMPLE_SPOOL_MODULE_COPY_H

struct modules;

/* If anything was met since the last call, have the spool name what is mapped a second time now.
 * Opens a descriptor.  Context: any, but no handler of ours. */
void module_copy_note(struct modules *modules);

#endif
