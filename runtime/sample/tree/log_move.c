/*
 * A chunk is unlinked after all of it was appended: if the process is killed in between, its
 * entries count twice rather than not at all.
 */
#include "runtime/sample/tree/log_move.h"

#include <stdbool.h>
#include <stddef.h>

#include "runtime/sample/log/log.h"
#include "runtime/sample/log/log_list.h"
#include "runtime/sample/log/log_read.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/tree/tree_merge.h"

struct move {
	struct log *into;
	const struct tree_merge *merge;
	struct log_read read;
};

/* Samples of a node that found no place in the tree are left out, as their weights are. */

static void move_sample(struct move *move)
{
	struct log_sample sample = move->read.sample;

	sample.node = tree_merge_node(move->merge, sample.node);
	if (sample.node)
		log_add(move->into, &sample);
}

static void move_entry(struct move *move)
{
	struct log_read *read = &move->read;

	log_carry(move->into, &read->context);
	switch (read->kind) {
	case SPOOL_LOG_SAMPLE:
	case SPOOL_LOG_MEMBER:
		move_sample(move);
		break;
	case SPOOL_LOG_MARK:
		log_mark(move->into, read->mark, read->sample.time_ns, read->value);
		break;
	case SPOOL_LOG_END:
		log_end(move->into, read->sample.time_ns);
		break;
	default:
		break;
	}
}

void log_move(struct log *into, struct log *from, const struct tree_merge *merge,
	      void (*give_way)(void))
{
	struct move move = { .into = into, .merge = merge };
	struct spool_chunk *chunk;

	if (!from->spool)
		return;
	while ((chunk = log_list_first(from))) {
		log_read_start(&move.read, chunk);
		while (log_read_next(&move.read))
			move_entry(&move);
		log_list_drop_first(from);
		if (give_way && from->chunks)
			give_way();
	}
}
