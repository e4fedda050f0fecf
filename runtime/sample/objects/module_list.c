/*
 * Entries are appended to chunks of the spool and published by their count, so that a reader
 * never sees a half-written one.
 */
#include "runtime/sample/objects/module_table.h"

#include <string.h>

#include "config/text/text.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/sys.h"

struct spool_module *module_list_new(struct module_list *list)
{
	return spool_alloc_entry(list->spool, &list->spool->header->first_module, &list->chunk,
				 SPOOL_CHUNK_MODULES, sizeof(struct spool_module));
}

void module_list_name(const struct module_list *list, struct spool_module *entry, const char *name)
{
	struct text path = text_into(entry->path, sizeof(entry->path));

	if (module_list_is_foreign(entry->start)) {
		text_add(&path, name);
		entry->flags |= (int64_t)entry->start < 0 ? SPOOL_MODULE_KERNEL : SPOOL_MODULE_FILE;
	} else if (!name[0]) {
		text_add(&path, list->executable);
		entry->flags |= SPOOL_MODULE_EXECUTABLE;
	} else if (strstr(name, "linux-vdso") || strstr(name, "linux-gate")) {
		text_add(&path, "[vdso]");
	} else {
		char directory[SPOOL_PATH_MAX];

		if (name[0] != '/') {
			path.cut = sys_getcwd(directory, sizeof(directory)) <= 0;
			text_add(&path, path.cut ? "?" : directory);
			text_add(&path, "/");
		}
		text_add(&path, name);
	}
	if (path.cut)
		entry->flags |= SPOOL_MODULE_PATH_CUT;
}

void module_list_copy(struct spool_module *entry, const struct spool_module *from)
{
	entry->flags = from->flags & ~SPOOL_MODULE_EXECUTABLE;
	entry->build_id_bytes = from->build_id_bytes;
	memcpy(entry->build_id, from->build_id, sizeof(entry->build_id));
	entry->file = from->file;
	memcpy(entry->path, from->path, sizeof(entry->path));
}

void module_list_publish(struct module_list *list)
{
	atomic_fetch_add_explicit(&list->chunk->count, 1, memory_order_release);
}
