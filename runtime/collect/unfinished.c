/*
 * Called only by verbs that search for spools anyway, never by a run: others could put files there
 * to slow it down.  Only a limited number of the spools found is examined.
 */
#include "runtime/collect/unfinished.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "runtime/collect/run_dir.h"
#include "runtime/command/base/status_line.h"
#include "runtime/collect/spool_search.h"
#include "runtime/collect/left_over.h"
#include "runtime/profile/spool/spool_read.h"

#define LOOKED_AT_MOST 64

/* A child's spool may be left to its parent, which is profiled and still runs. */
static bool is_left_to_parent(const struct spool_files *files, uint32_t parent_pid)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->file[i].pid == parent_pid && spool_files_is_running(&files->file[i]))
			return true;
	return false;
}

/* One of the spools that were found, with its header. */
struct candidate {
	const struct spool_files *files;
	const struct spool_file *file;
	const struct spool_header *header;
};

static bool holds(enum left_over_reason reason, const void *context)
{
	const struct candidate *candidate = context;

	if (reason == LEFT_OVER_RUNS)
		return candidate->file->live;
	if (reason == LEFT_OVER_LOCKED)
		return run_dir_is_locked(candidate->file->path,
					 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return is_left_to_parent(candidate->files, candidate->header->parent_pid);
}

static bool is_unfinished(const struct spool_files *files, const struct spool_file *file)
{
	struct spool_header *header = spool_read_header_of(file->path);
	struct candidate candidate = { .files = files, .file = file, .header = header };
	bool unfinished =
		header && left_over_is_taken(LEFT_OVER_NOTICE, header->state, holds, &candidate);

	free(header);
	return unfinished;
}

static void add(struct spool_files *files, const char *directory)
{
	if (directory && directory[0] && !access(directory, R_OK | X_OK) &&
	    !run_dir_in_use(directory))
		spool_search(files, directory, SPOOL_SEARCH_LEFT);
}

void unfinished_say(void)
{
	struct spool_files files = { 0 };
	struct spool_files first;
	size_t count = 0;

	add(&files, env_get(environ, "FLAMETRAP_SPOOL"));
	add(&files, "/dev/shm");
	first = files;
	if (first.count > LOOKED_AT_MOST)
		first.count = LOOKED_AT_MOST;
	if (!spool_files_find_live(&first))
		for (size_t i = 0; i < first.count; i++)
			count += is_unfinished(&files, &first.file[i]);
	if (count)
		status_line("%s%zu unfinished profile%s of processes that have ended: flametrap "
			    "recover "
			    "writes them",
			    files.count > first.count ? "at least " : "", count,
			    count == 1 ? "" : "s");
	spool_files_free(&files);
}
