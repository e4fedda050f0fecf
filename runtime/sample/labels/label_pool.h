/*
 * Items that never move, in memory of our own that grows: any thread may read an item while another
 * one adds some.
 */
#ifndef RUNTIME_SAMPLE_LABELS_LABEL_POOL_H
#define RUNTIME_SAMPLE_LABELS_LABEL_POOL_H

#include <stdatomic.h>
#include <stdint.h>

#define LABEL_POOL_LEVELS 12
#define LABEL_POOL_NONE	  UINT32_MAX

struct label_pool {
	uint32_t item_bytes; /* of one item */
	uint32_t least;	     /* items of the first level; each further one has twice as many */
	_Atomic uint32_t used;
	void *_Atomic level[LABEL_POOL_LEVELS];
};

/* Take `count` items that lie side by side and are zero.  Returns the first one's index, or
 * LABEL_POOL_NONE: no room.  Context: any, one caller at a time. */
uint32_t label_pool_take(struct label_pool *pool, uint32_t count);

/* Returns an item that was taken.  Context: any. */
void *label_pool_at(const struct label_pool *pool, uint32_t index);

#endif
