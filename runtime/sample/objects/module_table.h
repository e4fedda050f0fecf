/* The private table behind module.h, for the files that fill it. module.c states its invariants. */
#ifndef RUNTIME_SAMPLE_OBJECTS_MODULE_TABLE_H
#define RUNTIME_SAMPLE_OBJECTS_MODULE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/spool/format.h"

struct spool_alloc;

/* The spool's list of modules: entries are appended, one writer at a time. */

struct module_list {
	struct spool_alloc *spool;
	const char *executable;	   /* the program's path */
	struct spool_chunk *chunk; /* the one being filled; NULL: none yet */
};

/* True if an address does not come from the loader: kernel code, or a number that stands for a
 * file.  Context: any; likewise the others, one caller at a time. */
static inline bool module_list_is_foreign(uint64_t address)
{
	return address >= SPOOL_PC_REGION;
}

/* Returns the next entry, all zeroes, which readers do not see before it is published.  NULL: the
 * spool is full. */
struct spool_module *module_list_new(struct module_list *list);

/* Set the entry's path from the loader's name (with flags); its start is set before. */
void module_list_name(const struct module_list *list, struct spool_module *entry, const char *name);

/* Make the entry another mapping of the file that `from` maps. */
void module_list_copy(struct spool_module *entry, const struct spool_module *from);

/* Publish the last entry to readers. */
void module_list_publish(struct module_list *list);

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

/* The identity of an object (module_file.c): copy its build-id from its memory; without one,
 * describe the file at its path, and sum up its first page (file_head_sum()) if that cannot differ
 * from the file's.  The entry's addresses, path and flags are set.  The file of the executable is
 * the mapped one, whatever has its path now.  Context: any, one caller at a time. */
void module_file_note(struct spool_module *entry);

/* Look at the mappings of the objects that were noted later than they were loaded: was the file at
 * the path still theirs?  `text` has MAPPING_LINE_BYTES bytes.  Opens a descriptor if there are
 * any.  Context: any, except our handlers; one caller at a time. */
void module_file_confirm(struct modules *modules, char *text);

#endif
