/*
 * Searches the directories in which spools usually lie.  A private directory of another user is
 * included only if everybody's spools are wanted; one whose command still runs, only if all are.
 */
#include "runtime/collect/spool_search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "runtime/collect/left_over.h"
#include "runtime/collect/run_dir.h"
#include "runtime/command/base/status_line.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/spool/spool_name.h"

#define LOOKED_AT_MOST 64 /* spools of processes that have ended */

/* Returns true for a run's directory to be included, of this user or, on request, of any. */
static bool is_wanted(const struct spool_files *files, const char *path,
		      enum spool_search_scope scope)
{
	struct stat status;

	if (!spool_name_is_run(path) || lstat(path, &status) ||
	    (!files->everybody && status.st_uid != geteuid()))
		return false;
	return run_dir_is(path, status.st_uid) &&
	       (scope == SPOOL_SEARCH_ALL || !run_dir_in_use(path));
}

/* Add the spools of a directory, and of the runs' own directories below it. */
static int add_with_run_dirs(struct spool_files *files, const char *directory,
			     enum spool_search_scope scope)
{
	char spools[PATH_MAX];
	struct dirent *entry;
	DIR *stream;
	int err;

	if (run_dir_spools(directory, spools, sizeof(spools)))
		directory = spools;
	err = spool_files_add(files, directory);
	if (err)
		return err;
	stream = opendir(directory);
	if (!stream)
		return -errno;
	while (err != -ENOMEM && (entry = readdir(stream))) {
		char path[PATH_MAX], below[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) <
			    (int)sizeof(path) &&
		    is_wanted(files, path, scope) && run_dir_spools(path, below, sizeof(below)))
			err = spool_files_add(files, below);
	}
	closedir(stream);
	return err == -ENOMEM ? err : 0;
}

static int add_usual(struct spool_files *files, enum spool_search_scope scope)
{
	char here[PATH_MAX];
	const char *const usual[] = {
		env_get(environ, "FLAMETRAP_SPOOL"),
		"/dev/shm",
		getcwd(here, sizeof(here)),
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && err != -ENOMEM; i++)
		if (usual[i] && usual[i][0])
			err = add_with_run_dirs(files, usual[i], scope);
	return err == -ENOMEM ? err : 0;
}

int spool_search(struct spool_files *files, const char *directory, enum spool_search_scope scope)
{
	files->everybody = scope == SPOOL_SEARCH_ALL && geteuid() == 0;
	if (!directory)
		return add_usual(files, scope);
	return status_line_error(directory, add_with_run_dirs(files, directory, scope));
}

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

static void add_left(struct spool_files *files, const char *directory)
{
	if (directory && directory[0] && !access(directory, R_OK | X_OK) &&
	    !run_dir_in_use(directory))
		spool_search(files, directory, SPOOL_SEARCH_LEFT);
}

/* Called only by verbs that search for spools anyway, never by a run: others could put files there
 * to slow it down. */
void spool_search_unfinished(void)
{
	struct spool_files files = { 0 };
	struct spool_files first;
	size_t count = 0;

	add_left(&files, env_get(environ, "FLAMETRAP_SPOOL"));
	add_left(&files, "/dev/shm");
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
