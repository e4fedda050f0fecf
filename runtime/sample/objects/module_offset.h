/*
 * Where the nodes of loaded objects lie.  An object that is loaded again, at another address or
 * after other objects were there, is the same object: its samples go to the addresses and the
 * generation of its first loading.  So a spool grows with the number of different objects, not with
 * the number of times that they are loaded.
 */
#ifndef RUNTIME_SAMPLE_OBJECTS_MODULE_OFFSET_H
#define RUNTIME_SAMPLE_OBJECTS_MODULE_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

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
