/*
 * The loader's list of objects, of all its namespaces, and the function that it calls when the list
 * changes (link.h, r_debug).
 */
#ifndef RUNTIME_SAMPLE_ELF_LOADER_LIST_H
#define RUNTIME_SAMPLE_ELF_LOADER_LIST_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* One loaded object.  Its record distinguishes it from a later one in the same memory. */
struct loader_object {
	const struct link_map *map;
	uint64_t bias;
	const void *dynamic;
};

/* True if this libc reports changes of the list.  Call it before the other functions here.
 * Context: init. */
bool loader_list_is_known(void);

/* Returns the function that the loader calls after an object is mapped, before its constructors
 * run, and after one is unmapped.  Context: any. */
uint64_t loader_list_function(void);

/* True if the loader is not changing its list.  Context: any. */
bool loader_list_is_settled(void);

/* Call `each` for every loaded object; `is_new` is true if the last look did not have it.  Context:
 * within the loader, or while no other thread is; one caller at a time. */
void loader_list_look(void (*each)(const struct link_map *map, bool is_new, void *context),
		      void *context);

struct loader_object loader_list_object(const struct link_map *map);
bool loader_list_is_same(const struct loader_object *object, const struct link_map *map);

#endif
