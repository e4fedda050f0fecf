/*
 * Between the loading of an object and its first sample, which is when it is noted, another file
 * may get its path.  The mappings tell; they are read outside of the handler.  Only inodes are
 * compared: file systems with subvolumes or layers show another device there than stat(2) does.
 */
#include "runtime/sample/objects/module_file.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/sample/objects/module_table.h"
#include "runtime/sample/sys/mapping.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#define NS_PER_S 1000000000ULL

void module_file_note(struct spool_module *entry)
{
	const bool executable = (entry->flags & SPOOL_MODULE_EXECUTABLE) && !proc_is_by_loader();
	struct stat st;

	if (module_list_is_foreign(entry->start) || entry->path[0] != '/' ||
	    (entry->flags & SPOOL_MODULE_PATH_CUT) ||
	    sys_stat(executable ? "/proc/self/exe" : entry->path, &st))
		return;
	entry->file.device = st.st_dev;
	entry->file.inode = st.st_ino;
	entry->file.bytes = (uint64_t)st.st_size;
	entry->file.changed_ns =
		(uint64_t)st.st_ctim.tv_sec * NS_PER_S + (uint64_t)st.st_ctim.tv_nsec;
}

bool module_file_is_same(const struct spool_mapped *one, const struct spool_mapped *other)
{
	return one->device == other->device && one->inode == other->inode &&
	       one->bytes == other->bytes && one->changed_ns == other->changed_ns &&
	       one->head == other->head;
}

/* Returns the object whose mappings start with this one, if it has still to be confirmed. */
static struct spool_module *find_unconfirmed(struct modules *modules, uint64_t start)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_acquire);

	for (uint32_t i = modules->confirmed; i < count; i++) {
		const struct module_known *known = &modules->known[i];

		if (known->start == start && known->entry->file.inode &&
		    !atomic_load_explicit(&known->gone, memory_order_relaxed))
			return known->entry;
	}
	return NULL;
}

static bool compare(const struct mapping *mapping, void *context)
{
	struct spool_module *entry = find_unconfirmed(context, mapping->start);

	if (entry && mapping->inode != entry->file.inode)
		entry->file.bytes = SPOOL_MAPPED_OTHER;
	return true;
}

void module_file_confirm(struct modules *modules, char *text)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_acquire);
	bool any = false;

	for (uint32_t i = modules->confirmed; i < count; i++)
		any = any || modules->known[i].entry->file.inode;
	if (any)
		mapping_each(MAPPING_OWN, text, compare, modules);
	modules->confirmed = count;
}
