/* The objects of a spool, and the functions of those whose file was gone while the process ran. */
#ifndef RUNTIME_PROFILE_SPOOL_SPOOL_MODULES_H
#define RUNTIME_PROFILE_SPOOL_SPOOL_MODULES_H

#include <stddef.h>
#include <stdint.h>

struct spool_check;
struct spool_header;
struct spool_module;

/* Entries of the table, allocated. */
struct spool_module_list {
	struct spool_module *entry;
	size_t count;
};

/* Read the table: its objects, and functions in the order of their start.  Returns 0 or -ENOMEM;
 * the caller frees the entries of both in either case. */
int spool_modules_read(struct spool_check *check, const struct spool_header *header,
		       struct spool_module_list *objects, struct spool_module_list *functions);

/* Returns the entry of the function around an address in memory of one of the objects, whose path
 * is its symbol; NULL if there is none, as for every object that still had its file. */
const struct spool_module *spool_modules_function(const struct spool_module_list *functions,
						  const struct spool_module *module, uint64_t pc);

#endif
