/*
 * Where the nodes of loaded objects lie.  An object that is loaded again, be it to another address
 * or after others were there, is the same object: its samples go to the addresses and the
 * generation of its first loading.  So what a spool holds grows with different objects, and not
 * with how often they come and go.
 */
#ifndef RUNTIME_SAMPLE_SPOOL_MODULE_PLACE_H
#define RUNTIME_SAMPLE_SPOOL_MODULE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct module_place {
	uint64_t start, end; /* where it lies now */
	uint64_t shift;	     /* to be added to an address: where it lay first */
	uint32_t generation;
};

/* Forget all.  Context: init, fork child. */
void module_place_start(void);

/* The place around pc; false if there is none, or it changes right now.  Context: any. */
bool module_place_find(uint64_t pc, struct module_place *place);

/* Note a place, instead of what overlaps it; false if the table is full.
 * Context: under the lock of the modules, as the next. */
bool module_place_set(const struct module_place *place);

/* Drop the places that start at none of these addresses. */
void module_place_keep(bool (*is_there)(uint64_t start, void *context), void *context);

/* Number of changes so far.  Context: any. */
uint32_t module_place_changes(void);

#endif
