/*
 * Names of the marks of a timeline.
 */
#ifndef RUNTIME_PROFILE_TIME_MARK_NAME_H
#define RUNTIME_PROFILE_TIME_MARK_NAME_H

#include "runtime/spool/format_log.h"

/* Returns "fork", "throttled" and so on, static; NULL for a kind that is not known. */
const char *mark_name(enum spool_mark kind);

#endif
