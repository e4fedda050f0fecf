/*
 * The reason is the stack's outermost node, a pseudo address; the node below it is the frame whose
 * caller was not found.  Parents come before their children, so one pass finds it for every stack.
 */
#include "runtime/profile/analysis/truncations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/namer.h"

#define NO_FILE "[code in no file]"

struct truncations {
	struct namer *namer;
	struct map known; /* {reason, module} to index + 1 */
	struct truncation *list;
	uint32_t count;
};

struct truncations *truncations_new(struct namer *namer)
{
	struct truncations *truncations = calloc(1, sizeof(*truncations));

	if (truncations)
		truncations->namer = namer;
	return truncations;
}

void truncations_free(struct truncations *truncations)
{
	if (!truncations)
		return;
	map_free(&truncations->known);
	free(truncations->list);
	free(truncations);
}

/* A depth limit and a skipped unwind say nothing about the code. */
bool truncations_is_reason(const struct spool_read_node *node)
{
	return node->parent == SPOOL_READ_ROOT &&
	       (node->pc == SPOOL_PC_NO_RULE || node->pc == SPOOL_PC_BOUNDS ||
		node->pc == SPOOL_PC_BUSY || node->pc == SPOOL_PC_FAILED);
}

/* Returns the number of the truncation, from 1; 0 when memory is out. */
static uint32_t find_truncation(struct truncations *truncations,
				const struct spool_read_node *reason,
				const struct spool_read_node *node)
{
	const struct spool_module *module =
		namer_module(truncations->namer, node->pc, node->generation);
	const char *path = module && module->path[0] ? module->path : NO_FILE;
	struct truncation truncation = { 0 };
	uint32_t *known;

	truncation.reason = namer_name(truncations->namer, reason->pc, 0);
	truncation.module = namer_text(truncations->namer, path, "");
	known = truncation.reason && truncation.module
			? map_at(&truncations->known, truncation.reason, truncation.module)
			: NULL;
	if (!known)
		return 0;
	if (*known)
		return *known;
	if (!grow(&truncations->list, truncations->count, sizeof(truncation)))
		return 0;
	truncations->list[truncations->count++] = truncation;
	*known = truncations->count;
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

int truncations_add(struct truncations *truncations, const struct spool_read *spool,
		    const struct spool_read_thread *thread)
{
	uint32_t *number = calloc(thread->node_count + 1, sizeof(*number));
	int err = number ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < thread->node_count; i++) {
		const struct spool_read_node *node = &thread->nodes[i], *parent;
		bool truncated;

		if (node->parent >= i)
			continue; /* outermost, or its parent cannot be read */
		parent = &thread->nodes[node->parent];
		truncated = truncations_is_reason(parent);
		number[i] = truncated ? find_truncation(truncations, parent, node)
				      : number[node->parent];
		if (truncated && !number[i])
			err = -ENOMEM;
		else if (number[i])
			truncations->list[number[i] - 1].samples += samples_at(spool, thread, i);
	}
	free(number);
	return err;
}

static int more_samples(const void *left, const void *right)
{
	const struct truncation *a = left;
	const struct truncation *b = right;

	return order_of(b->samples, a->samples)
		       ?: order_of(a->reason, b->reason)
		       ?: order_of(a->module, b->module);
}

const struct truncation *truncations_list(struct truncations *truncations, size_t *count)
{
	size_t used = 0;

	/* sorting moves the entries that `known` points to */
	if (truncations->count)
		qsort(truncations->list, truncations->count, sizeof(*truncations->list),
		      more_samples);
	for (uint32_t i = 0; i < truncations->count; i++) {
		uint32_t *known = map_at(&truncations->known, truncations->list[i].reason,
					 truncations->list[i].module);

		*known = i + 1;
		used += truncations->list[i].samples != 0;
	}
	*count = used;
	return truncations->list;
}
