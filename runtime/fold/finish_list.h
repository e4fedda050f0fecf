/*
 * Inside of finish.h: the spools on the list.
 */
#ifndef RUNTIME_FOLD_FINISH_LIST_H
#define RUNTIME_FOLD_FINISH_LIST_H

#include "runtime/fold/finish.h"
#include "runtime/spool.h"

struct finish_item {
	char *path;
	int fd; /* locked */
	struct spool_header *header;
	const struct spool_header *owner; /* of whose profile it is a part: finish_write.c */
};

struct finish {
	struct finish_options options;
	struct finish_item *items;
	size_t count;
	size_t most;  /* items at once: each is an open file */
	char **later; /* paths of what was found past them */
	size_t later_count;
};

/* Take everything off the list. */
void finish_clear(struct finish *finish);

/* Tell the caller what went wrong. */
void finish_fail(const struct finish *finish, const char *line);

#endif
