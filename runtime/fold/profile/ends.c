/*
 * The reason is the stack's outermost node, a pseudo address; the frame that could not be left
 * is the node below it.  Parents come before their children, so one pass finds every stack's.
 */
#include "runtime/fold/profile/ends.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/map.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/spool/spool_read.h"
#include "runtime/fold/symbols/namer.h"

#define NO_FILE	     "[code in no file]"
#define KERNEL_START 0x8000000000000000ULL

struct ends {
	struct namer *namer;
	struct string_table *strings;
	struct map *known; /* {reason, module} to index + 1 */
	struct end *list;
	uint32_t count;
};

struct ends *ends_new(struct namer *namer, struct string_table *strings)
{
	struct ends *ends = calloc(1, sizeof(*ends));

	if (!ends)
		return NULL;
	ends->namer = namer;
	ends->strings = strings;
	ends->known = map_new();
	if (ends->known)
		return ends;
	free(ends);
	return NULL;
}

void ends_free(struct ends *ends)
{
	if (!ends)
		return;
	map_free(ends->known);
	free(ends->list);
	free(ends);
}

/* A depth limit and a spared walk say nothing of the code. */
bool ends_is_reason(const struct spool_read_node *node)
{
	return node->parent == SPOOL_READ_ROOT &&
	       (node->pc == SPOOL_PC_NO_RULE || node->pc == SPOOL_PC_BOUNDS ||
		node->pc == SPOOL_PC_BUSY || node->pc == SPOOL_PC_FAILED);
}

/* Number of the end, from 1; 0 when memory is out. */
static uint32_t find_end(struct ends *ends, const struct spool_read_node *reason,
			 const struct spool_read_node *node)
{
	const struct spool_module *module = NULL;
	const char *path = NO_FILE;
	struct end end = { 0 };
	struct end *grown;
	uint32_t *known;

	if (node->pc >= SPOOL_PC_LIMIT && node->pc < KERNEL_START)
		module = namer_module(ends->namer, node->pc, node->generation);
	if (module && module->path[0])
		path = module->path;
	end.reason = namer_name(ends->namer, reason->pc, 0);
	end.module = namer_text(ends->namer, path, "");
	known = end.reason && end.module ? map_at(ends->known, end.reason, end.module) : NULL;
	if (!known)
		return 0;
	if (*known)
		return *known;
	grown = reallocarray(ends->list, ends->count + 1, sizeof(*grown));
	if (!grown)
		return 0;
	ends->list = grown;
	grown[ends->count++] = end;
	*known = ends->count;
	return *known;
}

static uint64_t samples_at(const struct spool_read *spool, const struct spool_read_thread *thread,
			   size_t node)
{
	const struct spool_header *header = &spool->header;
	uint64_t sum = 0;

	for (uint32_t c = 0; c < header->counter_count; c++)
		if (header->counter[c].flags & SPOOL_COUNTER_SAMPLES)
			sum += thread->weights[node * header->counter_count + c].samples;
	return sum;
}

int ends_add(struct ends *ends, const struct spool_read *spool,
	     const struct spool_read_thread *thread)
{
	uint32_t *end = calloc(thread->node_count + 1, sizeof(*end));
	int err = end ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < thread->node_count; i++) {
		const struct spool_read_node *node = &thread->nodes[i];

		if (node->parent >= i)
			continue; /* outermost, or cut off from it */
		if (ends_is_reason(&thread->nodes[node->parent]))
			end[i] = find_end(ends, &thread->nodes[node->parent], node);
		else
			end[i] = end[node->parent];
		if (ends_is_reason(&thread->nodes[node->parent]) && !end[i])
			err = -ENOMEM;
		else if (end[i])
			ends->list[end[i] - 1].samples += samples_at(spool, thread, i);
	}
	free(end);
	return err;
}

static int more_samples(const void *left, const void *right)
{
	const struct end *a = left;
	const struct end *b = right;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	if (a->reason != b->reason)
		return a->reason < b->reason ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

const struct end *ends_list(struct ends *ends, size_t *count)
{
	size_t used = 0;

	/* sorting moves what `known` points to */
	if (ends->count)
		qsort(ends->list, ends->count, sizeof(*ends->list), more_samples);
	for (uint32_t i = 0; i < ends->count; i++) {
		uint32_t *known = map_at(ends->known, ends->list[i].reason, ends->list[i].module);

		*known = i + 1;
		used += ends->list[i].samples != 0;
	}
	*count = used;
	return ends->list;
}

const char *ends_text(const struct ends *ends, uint32_t number)
{
	return string_table_text(ends->strings, number);
}
