/* The private table behind module.h, for the files that fill it. module.c states its invariants. */
#ifndef RUNTIME_SAMPLE_OBJECTS_MODULE_TABLE_H
#define RUNTIME_SAMPLE_OBJECTS_MODULE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/objects/module_list.h"

#define MODULE_KNOWN_MAX 2048

struct module_known {
	uint64_t start, end;
	struct spool_module *entry;
	_Atomic uint32_t gone; /* W: the lock's holder.  R: anyone */
	bool named;	       /* its functions are in the spool: module_names.c, its caller only */
};

struct modules {
	struct module_list list;      /* under the lock: its number in the spool */
	_Atomic uint32_t busy;	      /* the try-lock */
	_Atomic uint32_t known_count; /* release: publishes known[] */
	_Atomic uint32_t unloads;
	_Atomic uint32_t vacated;		 /* how often an object was marked gone */
	_Atomic uint64_t vacant_from, vacant_to; /* around all that ever were; both 0: none was */
	uint32_t kernel_count;			 /* under the lock: those of the kernel */
	uint32_t confirmed; /* as many of known[] need no look at their mapping any more.  W, R: the
			       caller of module_file_confirm() */
	bool complete; /* all objects of the start are in it: what else appears, was loaded since */
	unsigned long long seen_unloads; /* dlpi_subs at the last sweep */
	struct module_known known[MODULE_KNOWN_MAX];
};

/* Take the lock for writing.  False: it is held for too long, perhaps by code that this one has
 * interrupted.  Context: any, except our handlers. */
bool module_table_lock(struct modules *modules);
void module_table_unlock(struct modules *modules);

/* True if the loaded object around pc is in the table.  Context: any. */
bool module_table_has(const struct modules *modules, uint64_t pc);

/* Mark an object gone.  Context: any, under the lock. */
void module_table_vacate(struct modules *modules, struct module_known *known);

/* Append a function of an object: SPOOL_MODULE_FUNCTION.  False: the spool is full.  Context: any,
 * under the lock. */
bool module_table_add_function(struct modules *modules, const struct module_known *known,
			       uint64_t start, uint64_t end, const char *name);

/* Append an object, or find it again.  Context: any, under the lock. */
void module_table_add(struct modules *modules, uint64_t start, uint64_t end, uint64_t bias,
		      const char *name);

#endif
