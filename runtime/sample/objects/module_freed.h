/*
 * Address ranges from which an object was unloaded and where something else has been since: for
 * code of no object that lies there now.
 */
#ifndef RUNTIME_SAMPLE_OBJECTS_MODULE_FREED_H
#define RUNTIME_SAMPLE_OBJECTS_MODULE_FREED_H

#include <stdint.h>

#define MODULE_FREED_MAX 64 /* ranges that are told apart */

/* Forget all.  Context: init, fork child. */
void module_freed_start(void);

/* Note that the object at [start, end) ended with this generation, which is not below any earlier
 * one.  Context: under the lock of the modules. */
void module_freed_add(uint64_t start, uint64_t end, uint32_t generation);

/* Returns the generation of code of no object at pc; SPOOL_NEVER_UNLOADED: no object was there.
 * *unsure: a later one, if pc lies between ranges that are not told apart; else the same.  Context:
 * any. */
uint32_t module_freed_generation(uint64_t pc, uint32_t *unsure);

#endif
