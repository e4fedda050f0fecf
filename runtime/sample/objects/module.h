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

/*
 * Records where samples met code in no object, in blocks of addresses.  Each block is looked up
 * once.  So if a program keeps making code, running it and unmapping it, its mappings are read only
 * a few times.
 */

/* Forget all.  Context: init, fork child. */
void unmapped_code_start(void);

/* Record an address in no object that a sample met.  Context: signal. */
void unmapped_code_add(uint64_t pc);

/* True if a sample met such memory in or near [start, end) and it has not been looked up yet.
 * Context: any. */
bool unmapped_code_is_near(uint64_t start, uint64_t end);

/* Mark all blocks recorded until now as looked up.  Context: one caller at a time. */
void unmapped_code_ask(void);

/* True if any code was met, asked about or not.  Context: any. */
bool unmapped_code_is_any(void);

/*
 * Where the nodes of loaded objects lie.  An object that is loaded again, at another address or
 * after other objects were there, is the same object: its samples go to the addresses and the
 * generation of its first loading.  So a spool grows with the number of different objects, not with
 * the number of times that they are loaded.
 */

struct module_offset {
	uint64_t start, end; /* present address */
	uint64_t shift;	     /* offset to the address of the first loading */
	uint32_t generation;
};

/* Forget all places, and all freed ranges.  Context: init, fork child. */
void module_offset_start(void);

/* Find the place around pc.  False if there is none, or if the table is changing.  Context: any. */
bool module_offset_find(uint64_t pc, struct module_offset *place);

/* Find the present place of the object whose nodes begin at `first`, of that generation.  False if
 * it has none, or if the table is changing.  Context: any. */
bool module_offset_of(uint64_t first, uint32_t generation, struct module_offset *place);

/* Note a place, in place of all that overlap it.  False if the table is full.  Context: under the
 * lock of the modules, as the next. */
bool module_offset_set(const struct module_offset *place);

/* Drop all places except those that start at one of these addresses. */
void module_offset_keep(bool (*is_there)(uint64_t start, void *context), void *context);

/* Number of changes so far.  Context: any. */
uint32_t module_offset_changes(void);

/* Address ranges from which an object was unloaded and where something else has been since: for
 * code of no object that lies there now. */

#define MODULE_FREED_MAX 64 /* ranges that are told apart */

/* Note that the object at [start, end) ended with this generation, which is not below any earlier
 * one.  Context: under the lock of the modules. */
void module_freed_add(uint64_t start, uint64_t end, uint32_t generation);

/* Returns the generation of code of no object at pc; SPOOL_NEVER_UNLOADED: no object was there.
 * *unsure: a later one, if pc lies between ranges that are not told apart; else the same.  Context:
 * any. */
uint32_t module_freed_generation(uint64_t pc, uint32_t *unsure);

#endif
