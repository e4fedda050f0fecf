/*
 * The loaded objects of this process: noted in the spool when a sample first meets them,
 * closed when they are unloaded.  Found by _dl_find_object (glibc 2.35), which neither locks
 * nor allocates.
 */
#ifndef RUNTIME_SAMPLE_OBJECTS_MODULE_H
#define RUNTIME_SAMPLE_OBJECTS_MODULE_H

#include <stdbool.h>
#include <stdint.h>

struct modules;
struct spool_alloc;

/* The table of this process, empty, writing to `spool`.  `executable` is the program's path;
 * both outlive it.  Call again in the child of a fork.  Context: init, fork child. */
struct modules *module_start(struct spool_alloc *spool, const char *executable);

/* Make sure that the object around pc is in the spool.  Returns false if the caller must try again
 * later, because another thread is writing the table.  Returns true if it is there, or if there is
 * no object.  Context: any. */
bool module_note(struct modules *modules, uint64_t pc);

/* True if the object that was at pc is gone, and no other one is known to have taken its place:
 * module_note() tells.  Context: any. */
bool module_is_vacant(const struct modules *modules, uint64_t pc);

/* Note code that the loader does not know, or that it is gone: code in the kernel
 * (RECORD_KERNEL_SYMBOL) or a file (SPOOL_PC_FILE).  Returns false if another thread is writing the
 * table.  Context: any. */
bool module_note_named(struct modules *modules, uint64_t start, uint64_t end, const char *name,
		       bool removed);

/* Note every object loaded now.  Context: thread (takes the loader's lock). */
void module_note_all(struct modules *modules);

/* Find objects that were unloaded since the last call, and mark those in the table as gone.
 * Returns true if any was unloaded.  Rules may be kept of an object that is not in the table (a
 * word on a stack led to it, or another thread was writing).  Context: thread, after dlclose (takes
 * the loader's lock). */
bool module_sweep(struct modules *modules);

/* True if an object is at any of these addresses, or was there when it was noted.
 * Context: any. */
bool module_is_known(const struct modules *modules, uint64_t start, uint64_t end);

/* Note that [start, end), where no object is known, holds the same code as the object at `like`.
 * Context: any, except our handlers. */
void module_note_copy(struct modules *modules, uint64_t start, uint64_t end, uint64_t like);

/* Returns the generation of an address: how often another object has replaced the one there, as a
 * number that grows with every such replacement anywhere; 0: never.  *pc becomes the address at
 * which the node lies, that of the object's first loading.  Context: any. */
uint32_t module_generation(const struct modules *modules, uint64_t *pc);

/* Returns a number that changes whenever the answers of module_generation may change.  Context:
 * any. */
uint32_t module_changes(const struct modules *modules);

#endif
