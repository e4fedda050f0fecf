/*
 * A program that loads and unloads one plugin thousands of times has thousands of modules at one
 * address that differ only in their lifetime.  They are sorted into runs.  A lookup examines each
 * run over an address once, and searches it for the lifetime by bisection.  So the cost depends on
 * the number of *different* objects that were ever mapped over an address.
 */
#include "runtime/profile/symbols/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/order.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/spool/format.h"

/* Limit for different objects over one address. */
#define OVERLAP_MAX 256

struct run {
	uint64_t start;
	uint64_t end;
	size_t first; /* in sorted[] */
	size_t count;
	uint64_t end_before; /* greatest end address of this and all earlier runs */
};

struct modules {
	const struct spool_module **sorted;
	struct run *runs;
	size_t run_count;
};

static int compare_mapped(const struct spool_module *a, const struct spool_module *b)
{
	return order_of(a->start, b->start)
		       ?: order_of(a->end, b->end)
		       ?: order_of(a->bias, b->bias)
		       ?: order_of(a->build_id_bytes, b->build_id_bytes)
		       ?: memcmp(a->build_id, b->build_id, a->build_id_bytes)
		       ?: memcmp(&a->file, &b->file, sizeof(a->file))
		       ?: strcmp(a->path, b->path);
}

static int compare(const void *left, const void *right)
{
	const struct spool_module *a = *(const struct spool_module *const *)left;
	const struct spool_module *b = *(const struct spool_module *const *)right;

	return compare_mapped(a, b) ?: order_of(a->since, b->since);
}

static void make_runs(struct modules *modules, size_t count)
{
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++) {
		const struct spool_module *module = modules->sorted[i];
		struct run *run = &modules->runs[modules->run_count];

		if (i && !compare_mapped(modules->sorted[i - 1], module)) {
			run[-1].count++;
			continue;
		}
		end = module->end > end ? module->end : end;
		*run = (struct run){ module->start, module->end, i, 1, end };
		modules->run_count++;
	}
}

struct modules *modules_new(const struct spool_module *list, size_t count)
{
	struct modules *modules = calloc(1, sizeof(*modules));

	if (!modules)
		return NULL;
	modules->sorted = calloc(count + 1, sizeof(const struct spool_module *));
	modules->runs = calloc(count + 1, sizeof(*modules->runs));
	if (!modules->sorted || !modules->runs) {
		modules_free(modules);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		modules->sorted[i] = &list[i];
	qsort(modules->sorted, count, sizeof(const struct spool_module *), compare);
	make_runs(modules, count);
	return modules;
}

void modules_free(struct modules *modules)
{
	if (!modules)
		return;
	free(modules->sorted);
	free(modules->runs);
	free(modules);
}

/* Returns the earliest module of a run that was not yet unloaded in that generation, or NULL. */
static const struct spool_module *alive(const struct modules *modules, const struct run *run,
					uint32_t generation)
{
	size_t low = 0;
	size_t high = run->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (modules->sorted[run->first + middle]->until > generation)
			high = middle;
		else
			low = middle + 1;
	}
	return low < run->count ? modules->sorted[run->first + low] : NULL;
}

const struct spool_module *modules_find(const struct modules *modules, uint64_t pc,
					uint32_t generation)
{
	const struct spool_module *best = NULL;
	unsigned seen = 0;
	size_t low = ranges_upper(modules->runs, modules->run_count, sizeof(*modules->runs), pc);

	while (low-- && modules->runs[low].end_before > pc && seen++ < OVERLAP_MAX) {
		const struct run *run = &modules->runs[low];
		const struct spool_module *found;

		found = pc < run->end ? alive(modules, run, generation) : NULL;
		if (found && (!best || found->since < best->since))
			best = found;
	}
	return best;
}

void modules_base(const struct spool_module *module, char *base, size_t bytes)
{
	static const char deleted[] = " (deleted)";
	const char *slash = module->path[0] == '/' ? strrchr(module->path, '/') + 1 : module->path;
	size_t length = strlen(slash);
	size_t tail = sizeof(deleted) - 1;

	if (length > tail && !strcmp(slash + length - tail, deleted))
		length -= tail;
	snprintf(base, bytes, "%.*s", (int)length, slash);
}

uint32_t modules_key(struct string_table *keys, const char *path, const uint8_t *id,
		     size_t id_bytes)
{
	char key[SPOOL_PATH_MAX + MODULES_ID_MAX];
	size_t path_bytes = strnlen(path, SPOOL_PATH_MAX - 1);

	memcpy(key, path, path_bytes);
	key[path_bytes++] = '\0';
	memcpy(key + path_bytes, id, id_bytes);
	return string_table_intern(keys, key, path_bytes + id_bytes);
}
