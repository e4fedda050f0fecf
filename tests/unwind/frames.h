/* A walk that says where frames lie, with all that it wrote.  FRAMES: the room for it. */
#ifndef TESTS_UNWIND_FRAMES_H
#define TESTS_UNWIND_FRAMES_H

#include "tests/unwind/walks.h"

#define IN_VAIN 0x5555555555555555ULL /* where nothing was written */

struct walk {
	uint64_t pcs[FRAMES];
	uint64_t sps[FRAMES + 2];
	struct unwind_frames frames;
	struct unwind_result result;
};

static void take(struct walk *walk, const ucontext_t *context, const struct unwind_stack *from,
		 unsigned max)
{
	memset(walk, 0x55, sizeof(*walk));
	walk->frames.sps = walk->sps;
	unwind_walk_frames(context, from, walk->pcs, &walk->frames, max, &walk->result);
}

static bool is_same(const struct walk *one, const struct walk *other)
{
	return one->result.depth == other->result.depth && one->result.end == other->result.end &&
	       one->result.end_pc == other->result.end_pc &&
	       !memcmp(one->pcs, other->pcs, sizeof(one->pcs)) &&
	       !memcmp(one->sps, other->sps, sizeof(one->sps));
}

#endif
