/*
 * The loader's knowledge of an object, read with care: another thread may be unloading the object,
 * and the memory behind _dl_find_object's result is then freed.  And its list of objects, of all
 * its namespaces, with the function that it calls when the list changes (link.h, r_debug).
 */
#ifndef RUNTIME_SAMPLE_ELF_LOADER_H
#define RUNTIME_SAMPLE_ELF_LOADER_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the address of the symbol that libc or ld.so exports under this name, even if another
 * object defines it too; NULL if neither does.  Context: init. */
void *loader_libc_symbol(const char *name);

/* Returns the value of an entry of the object's dynamic section (elf(5)), 0 if it has none.
 * Context: any. */
static inline uint64_t loader_dynamic(const struct link_map *map, int64_t tag)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry->d_un.d_val;
	return 0;
}

/* The loader's own _dl_find_object(3): 0 with the object at an address, or -1.  NULL before glibc
 * 2.35.  W: loader_start. */
extern int (*loader_find_object)(void *address, struct dl_find_object *object);

/* Look up loader_find_object, once: in a fork's child the loader may be stuck in the middle of
 * another thread's dlopen(3), and then ends its caller.  Returns false if libc lacks it.  Context:
 * init, later any. */
bool loader_start(void);

/* Returns true with the object at an address, if there is one and libc can tell.  Context: any. */
static inline bool loader_find(uint64_t address, struct dl_find_object *object)
{
	return loader_find_object &&
	       !loader_find_object((void *)address, object); /* NOLINT(performance-no-int-to-ptr) */
}

/* Get the object's bias (its distance from the addresses in its file) and the name it was loaded
 * by, cut to `size` bytes with its NUL.  False: it is gone.  Context: any. */
bool loader_describe(const struct dl_find_object *object, uint64_t *bias, char *name, size_t size);

/* Get the bounds of an object's mappings, holes included, from its program headers, when it was
 * moved by `bias`.  *start begins a page; *end is one past the last byte.  If nothing is mapped,
 * *start is above *end.  Context: any. */
void loader_extent(const Elf64_Phdr *headers, unsigned count, uint64_t bias, uint64_t *start,
		   uint64_t *end);

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

/* A loaded object in the last snapshot, which is for C libraries without _dl_find_object, where a
 * handler cannot ask.  One that dlopen(3) loads after it is unknown. */
struct loader_range {
	uint64_t start; /* of all that is mapped, holes included */
	uint64_t end;
	uint64_t eh_frame; /* PT_GNU_EH_FRAME: .eh_frame_hdr; 0: none */
};

/* Takes a snapshot, under the loader's lock.  Context: init, thread. */
void loader_snapshot_take(void);

/* Finds the object that address lies in.  False: there is none, or a snapshot is being taken.
 * Context: signal. */
bool loader_snapshot_find(uint64_t address, struct loader_range *object);

#endif
