/*
 * Reads the spool of a dead process, or of a live process that continues to write.  The file is
 * hostile input.  It is read with pread() and never mapped (it may be cut while it is read), and
 * every offset, count, list and reference is checked.  All readable data is kept, and the first
 * damage is described.  Time and memory grow with the bytes read, whatever their content.
 *
 * Times are in ns of the CLOCK_MONOTONIC of the process.
 */
#ifndef RUNTIME_PROFILE_SPOOL_SPOOL_READ_H
#define RUNTIME_PROFILE_SPOOL_SPOOL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/spool/spool_log.h"
#include "runtime/spool/format.h"
#include "runtime/spool/format_code.h"

#define SPOOL_READ_ROOT	  UINT32_MAX	   /* parent of an outermost frame */
#define SPOOL_READ_ORPHAN (UINT32_MAX - 1) /* the parent of the frame cannot be read */

/* One node of a call tree.  Its parent is an index below its own, or one of the two values
 * above.  If its pc is a function of an interpreter, the function's number is one of the spool's
 * codes, or 0: the function cannot be read. */
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
	uint64_t offset; /* file offset of the slot */
	struct spool_thread slot;
	char name[17]; /* NUL-terminated */
	struct spool_read_node *nodes;
	struct spool_read_weight *weights; /* counter_count weights for each node, in the order of
					    * the nodes */
	size_t node_count;
	struct spool_read_log log; /* only if it was asked for, like `marks` and `labels` below */
};

/* Entries of the table of objects. */
struct spool_module_list {
	struct spool_module *entry;
	size_t count;
};

struct spool_read {
	struct spool_header header; /* its texts are NUL-terminated */
	struct spool_module *modules;
	size_t module_count;
	struct spool_module_list functions; /* of modules whose file was gone; by their start */
	struct spool_read_thread *threads;
	size_t thread_count;
	struct spool_code *codes; /* codes[n - 1] is number n; each text lies within `texts`, and
				   * has at most SPOOL_CODE_*_MAX bytes */
	size_t code_count;
	char *texts; /* followed by a NUL; NULL: none */
	size_t text_bytes;
	struct spool_read_log marks; /* of the process: it has no samples */
	struct spool_label *labels;  /* labels[n - 1] is number n; each `below` is a smaller number,
				      * and each text lies within `texts`, and has at most
				      * SPOOL_LABEL_KEY_MAX and SPOOL_LABEL_VALUE_MAX bytes */
	size_t label_count;
	uint64_t last_ns; /* the last moment at which its process is known to have run; left to the
			   * caller */
	bool damaged;	  /* a part of the spool could not be read */
};

/* From now on root opens the spools of all users, because the command found their paths itself: in
 * a run's own directory, or by a pid.  For other callers nothing changes: they open their own and
 * root's spools. */
void spool_read_allow_others(void);

/* Open a spool: a regular file of the caller or of root, and no symbolic link.  Returns 0 with *fd,
 * which the caller closes; or -errno with `line` filled. */
int spool_read_open(const char *path, int *fd, char *line, size_t bytes);

/* Check whether spool_read_open() would have opened an open file.  Returns 0, or -errno with `line`
 * filled. */
int spool_read_check(int fd, const char *path, char *line, size_t bytes);

/* Read a spool.  `name` is the file's name, for messages.  In a spool of another user, the owner of
 * the file decides whose process it was, not the header.  Returns 0; 1 if the spool is damaged
 * (`line` says where the first damage is) and *spool holds the readable part; or -errno with `line`
 * filled and nothing to free. */
int spool_read_fd(int fd, const char *name, struct spool_read *spool, char *line, size_t bytes);

/* Like spool_read_fd(), but also read the timeline: logs, marks and labels.  Spools of version 4
 * have none. */
int spool_read_timed_fd(int fd, const char *name, struct spool_read *spool, char *line,
			size_t bytes);

/* Read only the header.  Returns 0, or -errno with `line` filled (-EBADMSG: not a spool). */
int spool_read_header_fd(int fd, const char *name, struct spool_header *header, char *line,
			 size_t bytes);
int spool_read_header(const char *path, struct spool_header *header, char *line, size_t bytes);

/* Returns the header of a spool, to be freed; NULL if it cannot be read. */
struct spool_header *spool_read_header_of(const char *path);

/* Open a spool and read its header and thread slots, without modules and stacks; otherwise like
 * spool_read_fd(). */
int spool_read_slots(const char *path, struct spool_read *spool, char *line, size_t bytes);

/* Read the table of objects into spool->modules and functions.  Returns 0 or -ENOMEM. */
int spool_read_modules(struct spool_check *check, struct spool_read *spool);

/* Returns the entry of the function around an address in memory of one of the objects, whose path
 * is its symbol; NULL if there is none, as for every object that still had its file. */
const struct spool_module *spool_read_function(const struct spool_read *spool,
					       const struct spool_module *module, uint64_t pc);

/* A limit for hostile files, well above what a writer makes. */
#define SPOOL_READ_SET_MAX (4 * SPOOL_LABEL_SET_MAX)

/* Read the functions of interpreters (format_code.h), on request the labels (format_log.h), and the
 * texts of both into spool->codes, labels and texts.  The texts of each lie within the bounds and
 * within `texts`, or are empty; those of labels hold no zero byte.  Label sets are not longer than
 * SPOOL_READ_SET_MAX.  A live writer publishes functions and labels before the nodes and logs that
 * name them, so these must have been read before; what they name is checked here.  Returns 0 or
 * -ENOMEM. */
int spool_read_scripts(struct spool_check *check, bool labels, struct spool_read *spool);

/* Returns how many threads a slot stands for. */
unsigned spool_read_threads(const struct spool_thread *slot);

/* Free the memory that a successful call allocated. */
void spool_read_free(struct spool_read *spool);

#endif
