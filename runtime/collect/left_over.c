/*
 * A spool that cannot be read is taken by the finders that say why: it would be lost in
 * silence otherwise.  A process that ends waits for its writer, so that the images before its last
 * one are taken although it still runs.
 */
#include "runtime/collect/left_over.h"

#include "runtime/spool/format.h"

#define UNREAD	0 /* no state of a header has this number */
#define UNKNOWN (SPOOL_EXECED + 1)

/* 0: the spool is taken whatever else is true.  In a state that this version does not know, nothing
 * is taken that may still be in use. */
static const unsigned policy[][UNKNOWN + 1] = {
	[LEFT_OVER_PARENT] = {
		[SPOOL_RUNNING] = LEFT_OVER_RUNS,
		[SPOOL_EXECED] = LEFT_OVER_RUNS,
		[UNKNOWN] = LEFT_OVER_RUNS,
	},
	[LEFT_OVER_IMAGE] = {
		[SPOOL_RUNNING] = LEFT_OVER_NEVER_TAKEN,
		[SPOOL_FINISHED] = LEFT_OVER_NEVER_TAKEN,
		[UNKNOWN] = LEFT_OVER_NEVER_TAKEN,
	},
	[LEFT_OVER_RECOVER] = {
		[UNREAD] = LEFT_OVER_RUNS,
		[SPOOL_RUNNING] = LEFT_OVER_RUNS,
		[SPOOL_FINISHED] = LEFT_OVER_RUNS,
		[SPOOL_EXECED] = LEFT_OVER_RUNS,
		[UNKNOWN] = LEFT_OVER_RUNS,
	},
	[LEFT_OVER_NOTICE] = {
		[UNREAD] = LEFT_OVER_NEVER_TAKEN,
		[SPOOL_RUNNING] = LEFT_OVER_RUNS,
		[SPOOL_FINISHED] = LEFT_OVER_RUNS | LEFT_OVER_LOCKED | LEFT_OVER_PARENT_RUNS,
		[SPOOL_EXECED] = LEFT_OVER_NEVER_TAKEN,
		[UNKNOWN] = LEFT_OVER_NEVER_TAKEN,
	},
};

bool left_over_is_taken(enum left_over_finder finder, uint32_t state,
			bool (*holds)(enum left_over_reason reason, const void *context),
			const void *context)
{
	unsigned known = state != UNREAD && state < UNKNOWN ? state : UNKNOWN;
	unsigned reasons = policy[finder][state == LEFT_OVER_UNREAD ? UNREAD : known];

	if (reasons & LEFT_OVER_NEVER_TAKEN)
		return false;
	for (unsigned reason = LEFT_OVER_RUNS; reason <= LEFT_OVER_PARENT_RUNS; reason <<= 1)
		if (reasons & reason && holds((enum left_over_reason)reason, context))
			return false;
	return true;
}
