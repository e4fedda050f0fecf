/*
 * Reads the functions of interpreters, the labels, and the texts of both from a spool
 * (runtime/spool/format_code.h and format_log.h).
 */
#ifndef RUNTIME_PROFILE_SPOOL_SPOOL_SCRIPTS_H
#define RUNTIME_PROFILE_SPOOL_SPOOL_SCRIPTS_H

#include <stdbool.h>

#include "runtime/spool/format_log.h"

struct spool_check;
struct spool_read;

/* A limit for hostile files, well above what a writer makes. */
#define SPOOL_CODES_SET_MAX (4 * SPOOL_LABEL_SET_MAX)

/* Read all functions, and on request all labels, into spool->codes, labels and texts.  The texts of
 * each lie within the bounds and within `texts`, or are empty; those of labels hold no zero byte.
 * Label sets are not longer than SPOOL_CODES_SET_MAX.  A live writer publishes functions and labels
 * before the nodes and logs that name them, so these must have been read before.  Returns 0 or
 * -ENOMEM. */
int spool_scripts_read(struct spool_check *check, bool labels, struct spool_read *spool);

#endif
