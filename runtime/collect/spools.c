/*
 * Headers are read before the spools: they say which processes have ended.
 */
#include "runtime/collect/spools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/command/base/status_line.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/spool/spool_read.h"

#define WAIT_NS 100000000

/* Returns the state in a spool's header; 0 if it cannot be read. */
static uint32_t state_of(const char *path)
{
	struct spool_header *header = spool_read_header_of(path);
	uint32_t state = header ? header->state : 0;

	free(header);
	return state;
}

/* An image that exec replaced is not the end of its process. */
static enum spools_main main_of(const struct spool_files *files, const uint32_t *states,
				unsigned pid)
{
	enum spools_main found = SPOOLS_MAIN_MISSING;

	for (size_t i = 0; i < files->count && found != SPOOLS_MAIN_PROFILED; i++)
		if (files->file[i].pid == pid)
			found = states[i] == SPOOL_EXECED ? SPOOLS_MAIN_EXECED
							  : SPOOLS_MAIN_PROFILED;
	return found;
}

static int look_at(struct spools *spools, const char *directory, unsigned pid)
{
	struct spool_files *files = &spools->files;
	uint32_t *states = calloc(files->count + 1, sizeof(*states));

	if (!states)
		return -ENOMEM;
	for (size_t i = 0; i < files->count; i++)
		states[i] = state_of(files->file[i].path);
	survivors_find(&spools->survivors, files, states, directory);
	spools->main = main_of(files, states, pid);
	free(states);
	return 0;
}

int spools_list(struct spools *spools, const char *directory, unsigned pid)
{
	int err;

	*spools = (struct spools){ 0 };
	err = spool_files_add(&spools->files, directory);
	if (err)
		goto failed;
	spools->collection.path = calloc(spools->files.count + 1, sizeof(char *));
	err = spools->collection.path ? look_at(spools, directory, pid) : -ENOMEM;
	if (err)
		goto failed;
	return 0;

failed:
	spools_free(spools);
	return err;
}

/* Another user's spool is at most as large as the library may make one. */
static bool is_within(const struct spool_file *file, uint64_t bound_bytes)
{
	if (file->owner == geteuid() || file->bytes <= bound_bytes)
		return true;
	status_line("%s: another user's, and larger than FLAMETRAP_MEMORY", file->path);
	return false;
}

void spools_read(struct spools *spools, const struct collection_options *options,
		 uint64_t bound_bytes, struct profile *profile)
{
	struct collection *collection = &spools->collection;
	const struct spool_files *files = &spools->files;

	if (files->refused)
		status_line("%zu spools of other users are too many to be read", files->refused);
	for (size_t i = 0; i < files->count; i++)
		if (is_within(&files->file[i], bound_bytes))
			collection->path[collection->count++] = files->file[i].path;
	collection->options = options;
	collection->all = collection->count;
	collection->failed = files->refused + files->count - collection->count;
	collection->running = spools->survivors.count > 0;
	if (status_line_error("the timeline", collection_read(collection, profile)))
		collection->failed++;
}

void spools_free(struct spools *spools)
{
	spool_files_free(&spools->files);
	free(spools->collection.path);
	*spools = (struct spools){ 0 };
}

int spools_wait(const char *directory, int (*ending)(void),
		void (*first)(const struct survivors *survivors))
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };
	struct spools spools;
	int number;

	while (!(number = ending()) && !spools_list(&spools, directory, 0)) {
		struct survivors survivors = spools.survivors;

		spools_free(&spools);
		if (!survivors.count)
			break;
		if (first)
			first(&survivors);
		first = NULL;
		nanosleep(&pause, NULL);
	}
	return number;
}
