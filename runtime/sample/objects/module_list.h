/* The spool's list of modules: entries are appended, one writer at a time. */
#ifndef RUNTIME_SAMPLE_OBJECTS_MODULE_LIST_H
#define RUNTIME_SAMPLE_OBJECTS_MODULE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/spool/format.h"

struct spool_alloc;

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

#endif
