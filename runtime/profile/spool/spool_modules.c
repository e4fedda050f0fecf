/*
 * Functions are sorted by their start.  Few overlap: aliases have the same start, and a function
 * that was split has its parts elsewhere.
 */
#include "runtime/profile/spool/spool_modules.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/profile/spool/spool_check.h"
#include "runtime/profile/spool/spool_version.h"
#include "runtime/spool/format.h"

#define OVERLAP_MAX 8

static bool is_sound(struct spool_check *check, struct spool_module *module, uint64_t at)
{
	module->path[sizeof(module->path) - 1] = '\0';
	if (module->end <= module->start) {
		spool_check_damage(check, at, "a module that ends before it starts");
		return false;
	}
	if (module->build_id_bytes > SPOOL_BUILD_ID_MAX) {
		spool_check_damage(check, at + offsetof(struct spool_module, build_id_bytes),
				   "a build-id of %u bytes", module->build_id_bytes);
		module->build_id_bytes = 0;
	}
	return true;
}

static int keep(struct spool_module_list *list, const struct spool_module *module)
{
	if (!grow(&list->entry, list->count, sizeof(*module)))
		return -ENOMEM;
	list->entry[list->count++] = *module;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct spool_module *a = left, *b = right;

	return order_of(a->start, b->start);
}

int spool_modules_read(struct spool_check *check, const struct spool_header *header,
		       struct spool_module_list *objects, struct spool_module_list *functions)
{
	const uint32_t bytes = header->module_bytes;
	struct spool_check_list list;
	struct spool_module module;
	int got, err = 0;

	spool_check_list(check, &list, SPOOL_CHUNK_MODULES, bytes, header->first_module,
			 offsetof(struct spool_header, first_module));
	while (!err && (got = spool_check_next(check, &list)) > 0)
		for (uint32_t i = 0; !err && i < list.count; i++) {
			const size_t inside = SPOOL_CHUNK_HEAD + i * bytes;

			spool_version_module(header->version, check->chunk + inside, &module);
			if (is_sound(check, &module, list.offset + inside))
				err = keep(module.flags & SPOOL_MODULE_FUNCTION ? functions
										: objects,
					   &module);
		}
	if (functions->count)
		qsort(functions->entry, functions->count, sizeof(module), compare);
	return err ? err : got;
}

const struct spool_module *spool_modules_function(const struct spool_module_list *functions,
						  const struct spool_module *module, uint64_t pc)
{
	size_t at = ranges_upper(functions->entry, functions->count, sizeof(*functions->entry), pc);

	for (unsigned seen = 0; at-- && seen < OVERLAP_MAX; seen++) {
		const struct spool_module *function = &functions->entry[at];

		if (pc < function->end && function->since == module->since)
			return function;
	}
	return NULL;
}
