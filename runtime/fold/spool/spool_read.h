/*
 * Reads a spool: of a dead process, or of a live one that goes on writing.  The file is
 * hostile input: it is read with pread, never mapped (it may be cut while it is read), and
 * every offset, count, list and reference is checked.  What can be read is kept; the first
 * damage is described.  Time and memory grow with the bytes read, whatever they say.
 */
#ifndef RUNTIME_FOLD_SPOOL_SPOOL_READ_H
#define RUNTIME_FOLD_SPOOL_SPOOL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format.h"

#define SPOOL_READ_ROOT	  UINT32_MAX	   /* parent of an outermost frame */
#define SPOOL_READ_ORPHAN (UINT32_MAX - 1) /* parent of a frame whose true one cannot be read */

/* One context; its parent is an index below its own, or one of the two above. */
struct spool_read_node {
	uint64_t pc;
	uint32_t parent;
	uint32_t generation;
};

struct spool_read_weight {
	uint64_t samples;
	uint64_t events;
};

/* One thread slot in use. */
struct spool_read_thread {
	uint64_t offset; /* of the slot, in the file */
	struct spool_thread slot;
	char name[17]; /* NUL-terminated */
	struct spool_read_node *nodes;
	struct spool_read_weight *weights; /* counter_count for each node, in its order */
	size_t node_count;
};

struct spool_read {
	struct spool_header header; /* its texts end in NUL */
	struct spool_module *modules;
	size_t module_count;
	struct spool_read_thread *threads;
	size_t thread_count;
	bool damaged; /* a part of it could not be read */
};

/* From now on root opens the spools of all users, since their places were found and not given:
 * in a run's own directory, or by a pid.  Other callers go on with their own and root's. */
void spool_read_allow_others(void);

/* Open a spool file: a regular file of the caller's or root's, no symbolic link.
 * Returns 0 with *fd, which is the caller's to close; or -errno with `line` filled. */
int spool_read_open(const char *path, int *fd, char *line, size_t bytes);

/* Whether an open file is one that spool_read_open would have opened.  Returns as that does. */
int spool_read_check(int fd, const char *path, char *line, size_t bytes);

/* Read a spool.  `name` is the file's, for messages.  In a spool of another user, whose process it
 * was is not its own word but the file's owner.  Returns 0; 1 if it is damaged (`line`
 * says where first) and *spool holds what could be read; or -errno with `line` filled and
 * nothing to free. */
int spool_read_fd(int fd, const char *name, struct spool_read *spool, char *line, size_t bytes);
int spool_read_path(const char *path, struct spool_read *spool, char *line, size_t bytes);

/* Only the header.  Returns 0, or -errno with `line` filled (-EBADMSG: not a spool). */
int spool_read_header_fd(int fd, const char *name, struct spool_header *header, char *line,
			 size_t bytes);
int spool_read_header(const char *path, struct spool_header *header, char *line, size_t bytes);

/* The header and the thread slots, without modules and stacks; as spool_read_path otherwise. */
int spool_read_slots(const char *path, struct spool_read *spool, char *line, size_t bytes);

/* How many threads a slot stands for. */
unsigned spool_read_threads(const struct spool_thread *slot);

/* Free what a successful call filled in. */
void spool_read_free(struct spool_read *spool);

#endif
