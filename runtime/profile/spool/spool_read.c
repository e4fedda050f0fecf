/*
 * Order: header, modules, thread slots, each slot's log and then its call tree, and the functions
 * and labels that these name.  A thread of a live process may end during the reading, and its slot
 * and chunks may be given to another thread, and so may chunks of a log that is thinned.  So the
 * slot is read again after its call tree.  If it changed, log and tree are dropped and read anew.
 */
#include "runtime/profile/spool/spool_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/user_file.h"
#include "runtime/profile/spool/spool_check.h"

#define RETRIES_MAX 64 /* threads that end may come one after the other in a slot */

/* How much of a spool is read. */
enum extent {
	SLOTS,	/* header and threads */
	STACKS, /* modules and call trees too */
	TIMED,	/* logs and labels too */
};

static bool others_allowed;

void spool_read_allow_others(void)
{
	others_allowed = geteuid() == 0;
}

int spool_read_check(int fd, const char *path, char *line, size_t bytes)
{
	struct stat st;
	int err = fstat(fd, &st) ? -errno : 0;
	const char *why = strerror(-err);

	if (!err && !S_ISREG(st.st_mode)) {
		err = -EINVAL;
		why = "not a regular file";
	} else if (!err && st.st_uid != geteuid() && st.st_uid != 0 && !others_allowed) {
		err = -EPERM;
		why = "belongs to another user";
	}
	if (err)
		snprintf(line, bytes, "%s: %s", path, why);
	return err;
}

int spool_read_open(const char *path, int *fd, char *line, size_t bytes)
{
	int err;

	*fd = user_file_open_regular(path, O_NOFOLLOW);
	if (*fd < 0) {
		err = *fd;
		snprintf(line, bytes, "%s: %s", path,
			 err == -ELOOP	  ? "a symbolic link, which spools are not"
			 : err == -EINVAL ? "not a regular file"
					  : strerror(-err));
		return err;
	}
	err = spool_read_check(*fd, path, line, bytes);
	if (err)
		close(*fd);
	return err;
}

/* Records the user whose maps and processes may be used for this spool. */
static void set_user(int fd, struct spool_header *header)
{
	struct stat st;

	if (!fstat(fd, &st) && st.st_uid != geteuid() && st.st_uid != 0)
		header->uid = st.st_uid;
}

/* Returns the index of the node that a reference names, if that node is in this list and below
 * `below`. */
static uint32_t parent_index(const struct spool_check *check, const struct spool_check_list *list,
			     uint32_t reference, uint64_t below)
{
	uint32_t index;

	if (!reference)
		return SPOOL_READ_ROOT;
	index = spool_check_index(check, list, reference);
	return index < below ? index : SPOOL_READ_ORPHAN;
}

static int read_node(struct spool_check *check, const struct spool_check_list *list,
		     struct spool_read_thread *thread, uint32_t slot)
{
	uint32_t counters = check->header->counter_count;
	size_t weight_bytes = counters * sizeof(struct spool_weight);
	size_t inside = SPOOL_CHUNK_HEAD + (size_t)slot * list->entry_bytes;
	struct spool_read_node *to;
	struct spool_node from;

	if (!grow(&thread->nodes, thread->node_count, sizeof(*to)) ||
	    !grow(&thread->weights, thread->node_count, counters ? weight_bytes : 1))
		return -ENOMEM;
	to = &thread->nodes[thread->node_count];
	memcpy(&from, check->chunk + inside, sizeof(from));
	memcpy(thread->weights + thread->node_count * counters,
	       check->chunk + inside + sizeof(from), weight_bytes);
	to->pc = from.pc;
	to->generation = from.generation;
	to->parent = parent_index(check, list, from.parent, thread->node_count);
	if (to->parent == SPOOL_READ_ORPHAN)
		spool_check_damage(check,
				   list->offset + inside + offsetof(struct spool_node, parent),
				   "parent %u is not an earlier node of the list", from.parent);
	thread->node_count++;
	return 0;
}

static int read_nodes(struct spool_check *check, struct spool_read_thread *thread,
		      struct spool_check_list *list)
{
	int got;

	spool_check_list(check, list, SPOOL_CHUNK_NODES, check->header->node_bytes,
			 thread->slot.first_chunk,
			 thread->offset + offsetof(struct spool_thread, first_chunk));
	while ((got = spool_check_next(check, list)) > 0) {
		/* This chunk is counted already, but a node may only refer to nodes before
		 * itself. */
		for (uint32_t i = 0; i < list->count; i++)
			if (read_node(check, list, thread, i))
				return -ENOMEM;
	}
	return got;
}

/* The lists of a thread, for spool_check_forget(). */
struct owners {
	uint32_t log;
	uint32_t nodes;
};

static int read_lists(struct spool_check *check, enum extent extent,
		      struct spool_read_thread *thread, struct owners *owners)
{
	uint64_t log = thread->offset + offsetof(struct spool_thread, first_log);
	struct spool_check_list nodes;
	int err = 0;

	owners->log = 0;
	if (extent >= TIMED)
		err = spool_log_read(check, thread->slot.first_log, log, &thread->log,
				     &owners->log);
	if (!err)
		err = read_nodes(check, thread, &nodes);
	if (err)
		return err;
	owners->nodes = nodes.owner;
	spool_log_resolve(check, &nodes, log, &thread->log);
	return 0;
}

static void thread_clear(struct spool_read_thread *thread)
{
	free(thread->nodes);
	free(thread->weights);
	spool_log_free(&thread->log);
	thread->nodes = NULL;
	thread->weights = NULL;
	thread->node_count = 0;
}

/* Returns whether what was read of a slot still belongs to it. */
static bool slot_stayed(const struct spool_thread *slot, const struct spool_thread *again)
{
	return again->state == slot->state && again->tid == slot->tid &&
	       again->first_chunk == slot->first_chunk && again->start_ns == slot->start_ns &&
	       again->log_changes == slot->log_changes;
}

/* Read the lists of a slot whose words were just read, and repeat while a live writer changes
 * them. */
static int read_thread(struct spool_check *check, enum extent extent,
		       struct spool_read_thread *thread)
{
	uint64_t at = thread->offset;
	bool live = check->header->state == SPOOL_RUNNING;

	for (int attempt = 0;; attempt++) {
		bool damaged = check->damaged;
		struct spool_thread again;
		struct owners owners;
		int err;

		memcpy(thread->name, &thread->slot.name, sizeof(thread->slot.name));
		thread->name[sizeof(thread->slot.name)] = '\0';
		err = read_lists(check, extent, thread, &owners);
		if (err || !live)
			return err;
		if (spool_check_pread_thread(check->fd, check->header, at, &again) ||
		    slot_stayed(&thread->slot, &again))
			return 0;
		if (attempt == RETRIES_MAX) {
			spool_check_damage(check, at, "the thread changes while it is read");
			return 0;
		}
		/* Chunks that were released during the reading look like damage, but are not. */
		check->damaged = damaged;
		spool_check_forget(check, owners.log);
		spool_check_forget(check, owners.nodes);
		thread_clear(thread);
		thread->slot = again;
		if (again.state == SPOOL_THREAD_FREE)
			return 0;
	}
}

static int read_threads(struct spool_check *check, struct spool_read *spool)
{
	struct spool_check_list list;
	int got;

	spool_check_list(check, &list, SPOOL_CHUNK_THREADS, check->header->thread_bytes,
			 spool->header.first_thread, offsetof(struct spool_header, first_thread));
	while ((got = spool_check_next(check, &list)) > 0) {
		for (uint32_t i = 0; i < list.count; i++) {
			struct spool_read_thread *thread;
			size_t inside = SPOOL_CHUNK_HEAD + (size_t)i * list.entry_bytes;

			if (!grow(&spool->threads, spool->thread_count, sizeof(*thread)))
				return -ENOMEM;
			thread = &spool->threads[spool->thread_count];
			memset(thread, 0, sizeof(*thread));
			thread->offset = list.offset + inside;
			spool_version_thread(check->header->version, check->chunk + inside,
					     &thread->slot);
			if (thread->slot.state == SPOOL_THREAD_LIVE ||
			    thread->slot.state == SPOOL_THREAD_ENDED)
				spool->thread_count++;
			else if (thread->slot.state != SPOOL_THREAD_FREE)
				spool_check_damage(check, list.offset + inside,
						   "a thread in state %u", thread->slot.state);
		}
	}
	return got;
}

/* The process's marks are a log without samples. */
static int read_marks(struct spool_check *check, struct spool_read *spool)
{
	const uint64_t linked = offsetof(struct spool_header, first_mark);
	uint32_t owner;
	int err = spool_log_read(check, spool_check_first(check, linked), linked, &spool->marks,
				 &owner);

	if (spool->marks.sample_count)
		spool_check_damage(check, linked, "samples among the marks");
	spool->marks.sample_count = 0;
	return err;
}

static int read_all(struct spool_check *check, enum extent extent, struct spool_read *spool)
{
	int err = spool_check_begin(check);

	if (!err && extent >= TIMED)
		err = read_marks(check, spool);
	if (!err && extent >= STACKS)
		err = spool_read_modules(check, spool);
	if (!err)
		err = read_threads(check, spool);
	for (size_t i = 0; !err && extent >= STACKS && i < spool->thread_count; i++)
		err = read_thread(check, extent, &spool->threads[i]);
	if (!err && extent >= STACKS)
		err = spool_read_scripts(check, extent >= TIMED, spool);
	return err;
}

static int read_parts(int fd, const char *name, enum extent extent, struct spool_read *spool,
		      char *line, size_t bytes)
{
	struct spool_check check = { .fd = fd, .header = &spool->header };
	int err;

	memset(spool, 0, sizeof(*spool));
	err = spool_read_header_fd(fd, name, &spool->header, line, bytes);
	if (err)
		return err;
	err = read_all(&check, extent, spool);
	spool_check_end(&check);
	if (err) {
		snprintf(line, bytes, "%s: %s", name, strerror(-err));
		spool_read_free(spool);
		return err;
	}
	spool->damaged = check.damaged;
	if (spool->damaged)
		snprintf(line, bytes, "%s: %s", name, check.damage);
	return spool->damaged;
}

int spool_read_fd(int fd, const char *name, struct spool_read *spool, char *line, size_t bytes)
{
	return read_parts(fd, name, STACKS, spool, line, bytes);
}

int spool_read_timed_fd(int fd, const char *name, struct spool_read *spool, char *line,
			size_t bytes)
{
	return read_parts(fd, name, TIMED, spool, line, bytes);
}

int spool_read_slots(const char *path, struct spool_read *spool, char *line, size_t bytes)
{
	int fd;
	int err = spool_read_open(path, &fd, line, bytes);

	if (err)
		return err;
	err = read_parts(fd, path, SLOTS, spool, line, bytes);
	close(fd);
	return err;
}

int spool_read_header_fd(int fd, const char *name, struct spool_header *header, char *line,
			 size_t bytes)
{
	int err = spool_check_header(fd, name, header, line, bytes);

	if (!err)
		set_user(fd, header);
	return err;
}

int spool_read_header(const char *path, struct spool_header *header, char *line, size_t bytes)
{
	int fd;
	int err = spool_read_open(path, &fd, line, bytes);

	if (err)
		return err;
	err = spool_read_header_fd(fd, path, header, line, bytes);
	close(fd);
	return err;
}

struct spool_header *spool_read_header_of(const char *path)
{
	struct spool_header *header = malloc(sizeof(*header));
	char line[256];

	if (!header || !spool_read_header(path, header, line, sizeof(line)))
		return header;
	free(header);
	return NULL;
}

void spool_read_free(struct spool_read *spool)
{
	for (size_t i = 0; i < spool->thread_count; i++)
		thread_clear(&spool->threads[i]);
	free(spool->threads);
	free(spool->modules);
	free(spool->functions.entry);
	spool_log_free(&spool->marks);
	free(spool->labels);
	free(spool->codes);
	free(spool->texts);
	memset(spool, 0, sizeof(*spool));
}

unsigned spool_read_threads(const struct spool_thread *slot)
{
	uint64_t ended = slot->count[SPOOL_COUNT_THREADS_ENDED];

	if (slot->state == SPOOL_THREAD_FREE)
		return 0;
	return slot->state == SPOOL_THREAD_ENDED && ended ? (unsigned)ended : 1;
}
